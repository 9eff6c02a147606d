// SPDX-License-Identifier: MIT

/// @file heap.h
/// Counts and controls the heap of the C library, to show what memory a game takes. The program
/// defines malloc, its relatives and mmap, counts each call, and passes it on. Calls of games and
/// libraries are counted too.

#ifndef BKS_TOOL_HEAP_H
#define BKS_TOOL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Return true if allocations are counted. They are not without glibc, nor under sanitizers that
/// need malloc for themselves.
bool alloc_count_works(void);

/// Return the number of allocations of the calling thread so far, by malloc, calloc, realloc,
/// aligned_alloc, posix_memalign, memalign and mmap. Releases do not count. 0 if nothing is
/// counted.
uint64_t alloc_count_thread(void);

/// Fill new memory of malloc and its relatives with a byte from now on, also the part that realloc
/// adds. Memory of calloc stays zero.
/// @param pattern  the byte; 0: stop filling
void alloc_count_fill(uint8_t pattern);

// ---- addresses in reverse ----
//
// glibc puts a new small block above the one before it. It maps a large block below the one mapped
// before it, and above all small blocks. The reversed heap does the opposite in each case. It needs
// alloc_count_works().

/// Size of the largest block that the reversed heap gives.
#define HEAP_REVERSE_BYTES_MAX ((size_t)8 << 20)

/// Take blocks from the reversed heap from now on, until it is full. No effect if the system
/// refuses the range of addresses.
void heap_reverse_begin(void);

/// Take blocks from the reversed heap from now on. Small blocks lie below a chosen address, each
/// below the one taken before it.
/// @param at  the address, a multiple of 16
/// @return false if memory is already mapped there
bool heap_reverse_begin_below(uint64_t at);

/// Allocate a block from the heap in which each new block lies below the one before. The bytes of
/// the block are not initialised.
/// @return the block, aligned for any type; NULL: take the block from the C library instead
void *heap_reverse_take(size_t bytes);

/// Give a block back to the reversed heap. Like the C library, end the program if the block was
/// given back before.
/// @param memory  any pointer, NULL too
/// @return false if `memory` is no block of the reversed heap
bool heap_reverse_give(void *memory);

/// Return the size of a block of the reversed heap.
/// @param memory  any pointer, NULL too
/// @return size in bytes, 0 if `memory` is no block of the reversed heap
size_t heap_reverse_room(const void *memory);

// ---- equal addresses in two processes that allocated different memory before ----

/// Fill the heap: use up all freed memory, and all memory below the next round address. Two
/// processes that have called this equally often then get equal addresses for new blocks, and on
/// 64-bit systems for new mappings. No effect if alloc_count_works() returns false or glibc is
/// older than 2.33.
void heap_settle(void);

#endif
