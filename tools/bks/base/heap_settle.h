// SPDX-License-Identifier: MIT

/// @file heap_settle.h
/// Where the C library's heap hands out memory: at the same addresses in two processes that have
/// taken other memory before.

#ifndef BKS_TOOL_HEAP_SETTLE_H
#define BKS_TOOL_HEAP_SETTLE_H

/// Take all that was given back, and what lies before the next round address. Blocks and mappings
/// from now on lie where they do in every other process that has settled as often; mappings with 64
/// bits alone. Without effect where alloc_count_works() says no, or glibc is older than 2.33.
void heap_settle(void);

#endif
