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

#endif
