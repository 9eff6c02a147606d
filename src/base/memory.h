// SPDX-License-Identifier: MIT

/// @file memory.h
/// Memory by the caller's hooks.

#ifndef BKSI_MEMORY_H
#define BKSI_MEMORY_H

#include "backstitch/base.h"

/// True when both hooks are set or neither.
bool bksi_allocator_ok(const bks_allocator *allocator);

/// Zeroed memory, or NULL. `alignment` is a power of two.
void *bksi_alloc(const bks_allocator *allocator, size_t bytes, size_t alignment);

/// Give memory back; NULL is allowed. `bytes` as it was asked for.
void bksi_free(const bks_allocator *allocator, void *memory, size_t bytes);

// Whole pages with a guard on either side: a write past either end stops the program at the
// instruction that does it. By the caller's hooks there are no guards.

#define BKSI_PAGE_BYTES 4096u

/// Zeroed memory on a multiple of BKSI_PAGE_BYTES, or NULL. Its end lies against the upper guard;
/// where the machine's pages are larger than ours, up to one of them lies before its start.
/// @param bytes  a multiple of BKSI_PAGE_BYTES
void *bksi_pages_alloc(const bks_allocator *allocator, size_t bytes);

/// Give memory back; NULL is allowed. `bytes` as it was asked for.
void bksi_pages_free(const bks_allocator *allocator, void *memory, size_t bytes);

#endif
