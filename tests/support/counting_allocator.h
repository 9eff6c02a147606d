// SPDX-License-Identifier: MIT

/// @file counting_allocator.h
/// An allocator that counts, hands out dirty memory, checks that every size comes back, and fails
/// on request.

#ifndef TEST_COUNTING_ALLOCATOR_H
#define TEST_COUNTING_ALLOCATOR_H

#include <stdlib.h>
#include <string.h>

#include "backstitch/base.h"

typedef struct counting_allocator {
    uint32_t allocs;     ///< calls
    uint32_t releases;   ///< calls
    size_t live_bytes;   ///< asked for and not given back
    uint32_t fail_after; ///< this many more succeed; UINT32_MAX never fails
    bool is_wrong;       ///< a size or an alignment did not fit
} counting_allocator;

/// Lies before each block: what to free, and how much was asked for.
typedef struct counting_header {
    void *raw;
    size_t bytes;
} counting_header;

static inline void *counting_alloc(void *context, size_t bytes, size_t alignment)
{
    counting_allocator *counter = context;
    counter->is_wrong |= alignment == 0 || (alignment & (alignment - 1)) != 0 || bytes == 0;
    if (counter->fail_after != UINT32_MAX && counter->fail_after-- == 0) {
        counter->fail_after = 0;
        return NULL;
    }
    size_t room = sizeof(counting_header) + alignment;
    uint8_t *raw = malloc(bytes + room);
    if (raw == NULL) {
        return NULL;
    }
    memset(raw, 0xa5, bytes + room);
    uintptr_t least = (uintptr_t)raw + sizeof(counting_header);
    uint8_t *memory = raw + ((least + alignment - 1) / alignment * alignment - (uintptr_t)raw);
    const counting_header header = {.raw = raw, .bytes = bytes};
    memcpy(memory - sizeof(header), &header, sizeof(header));
    counter->allocs++;
    counter->live_bytes += bytes;
    return memory;
}

static inline void counting_release(void *context, void *memory, size_t bytes)
{
    counting_allocator *counter = context;
    counting_header header;
    memcpy(&header, (uint8_t *)memory - sizeof(header), sizeof(header));
    counter->is_wrong |= header.bytes != bytes;
    counter->releases++;
    counter->live_bytes -= bytes;
    free(header.raw);
}

static inline bks_allocator counting_allocator_hooks(counting_allocator *counter)
{
    *counter = (counting_allocator){.fail_after = UINT32_MAX};
    return (bks_allocator){
        .alloc = counting_alloc, .release = counting_release, .context = counter};
}

#endif
