// SPDX-License-Identifier: MIT

/// @file alloc_count.h
/// Counts every allocation of the process: the program defines malloc and its kin, and mmap, and
/// passes them on to the C library. What games and libraries call is counted too.

#ifndef BKS_TOOL_ALLOC_COUNT_H
#define BKS_TOOL_ALLOC_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted. Not under sanitizers, which need malloc for themselves, and
/// not without glibc.
bool alloc_count_works(void);

/// Allocations made by the calling thread so far: malloc, calloc, realloc, aligned_alloc,
/// posix_memalign, memalign, mmap. Releases do not count. 0 when nothing is counted.
uint64_t alloc_count_thread(void);

/// From now on fresh memory of malloc and its kin is filled with a byte, also what realloc adds.
/// calloc's stays zero.
/// @param pattern  0: not filled any more
void alloc_count_fill(uint8_t pattern);

#endif
