// SPDX-License-Identifier: MIT

/// @file heap_reverse.h
/// A C heap with its addresses in reverse. glibc puts a fresh small block above the one before it;
/// it maps a large one, below the one mapped before it and above all small ones. Here each of these
/// is the other way round. For where alloc_count_works().

#ifndef BKS_TOOL_HEAP_REVERSE_H
#define BKS_TOOL_HEAP_REVERSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/// What a block holds.
/// @param memory  any, NULL too
/// @return bytes, 0: it is none of these
size_t heap_reverse_room(const void *memory);

#endif
