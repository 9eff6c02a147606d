// SPDX-License-Identifier: MIT

/// @file heap.h
/// The C library's heap, made to show what a game takes from it: the program defines malloc and its
/// kin, and mmap, counts every allocation, and passes them on. What games and libraries call is
/// counted too.

#ifndef BKS_TOOL_HEAP_H
#define BKS_TOOL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Return true if allocations are counted: not under sanitizers, which need malloc for themselves,
/// and not without glibc.
bool alloc_count_works(void);

/// Allocations made by the calling thread so far: malloc, calloc, realloc, aligned_alloc,
/// posix_memalign, memalign, mmap. Releases do not count. 0 when nothing is counted.
uint64_t alloc_count_thread(void);

/// Fill fresh memory of malloc and its kin with a byte from now on, also the part that realloc
/// adds. Memory of calloc stays zero.
/// @param pattern  0: not filled any more
void alloc_count_fill(uint8_t pattern);

// ---- addresses in reverse ----
//
// glibc puts a fresh small block above the one before it;
// it maps a large one, below the one mapped before it and above all small ones. Here each of these
// is the other way round. For where alloc_count_works().

/// Blocks of up to this size are taken from it.
#define HEAP_REVERSE_BYTES_MAX ((size_t)8 << 20)

/// From now on blocks are taken from it, until it is full. Without effect when the system refuses
/// the range of addresses.
void heap_reverse_begin(void);

/// The same, but small blocks lie below an address of our choice, the first of them highest.
/// @param at  a multiple of 16
/// @return false: something lies there already
bool heap_reverse_begin_below(uint64_t at);

/// Take a block, whose bytes are anything.
/// @return aligned for any type; NULL: the C library is to give one
void *heap_reverse_take(size_t bytes);

/// Give a block back. Ends the program, as the C library does, when it was given back before.
/// @param memory  any, NULL too
/// @return false: it is none of these
bool heap_reverse_give(void *memory);

/// Return the size of a block.
/// @param memory  any, NULL too
/// @return bytes, 0: it is none of these
size_t heap_reverse_room(const void *memory);

// ---- the same addresses in two processes that have taken other memory before ----

/// Take all that was given back, and what lies before the next round address. Blocks and mappings
/// from now on lie where they do in every other process that has settled as often; mappings with 64
/// bits alone. Without effect where alloc_count_works() says no, or glibc is older than 2.33.
void heap_settle(void);

#endif
