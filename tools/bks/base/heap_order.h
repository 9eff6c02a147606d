// SPDX-License-Identifier: MIT

/// @file heap_order.h
/// Where the C library's heap hands out memory: at the same addresses in two processes that have
/// taken other memory before, or in another order than usual. For where alloc_count_works().

#ifndef BKS_TOOL_HEAP_ORDER_H
#define BKS_TOOL_HEAP_ORDER_H

#include <stddef.h>

/// Take all that was given back, and what lies before the next round address. Blocks and mappings
/// from now on lie where they do in every other process that has settled as often.
void heap_order_settle(void);

/// From now on blocks of all sizes lie below those that were taken before them, where the C library
/// puts them above, and the other way round for those that it maps.
void heap_order_reverse(void);

/// A block of the reversed heap, whose bytes are anything.
/// @return NULL: the C library is to give one
void *heap_order_take(size_t bytes);

#endif
