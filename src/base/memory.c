// SPDX-License-Identifier: MIT

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

/// Least alignment handed out, enough for every scalar.
#define ALIGNMENT_MIN 16u

bool bksi_allocator_ok(const bks_allocator *allocator)
{
    return (allocator->alloc == NULL) == (allocator->release == NULL);
}

/// calloc with an alignment. It gives big blocks as untouched zero pages, which an aligned_alloc
/// and a memset would not, and is there on every platform. What calloc returned is kept just before
/// the memory; as that is a multiple of sizeof(void *), `alignment` more bytes are always enough.
static void *default_alloc(size_t bytes, size_t alignment)
{
    if (bytes > SIZE_MAX - alignment) {
        return NULL;
    }
    uint8_t *raw = calloc(1, bytes + alignment);
    if (raw == NULL) {
        return NULL;
    }
    uintptr_t first = (uintptr_t)raw + sizeof(void *);
    size_t skip = (size_t)((first + alignment - 1) / alignment * alignment - (uintptr_t)raw);
    uint8_t *memory = raw + skip;
    memcpy(memory - sizeof(void *), &raw, sizeof(void *));
    return memory;
}

static void default_free(void *memory)
{
    void *raw;
    memcpy(&raw, (uint8_t *)memory - sizeof(void *), sizeof(void *));
    free(raw);
}

void *bksi_alloc(const bks_allocator *allocator, size_t bytes, size_t alignment)
{
    BKS_ASSERT(alignment != 0 && (alignment & (alignment - 1)) == 0);
    size_t size = bytes > 0 ? bytes : 1;
    size_t align = alignment > ALIGNMENT_MIN ? alignment : ALIGNMENT_MIN;
    if (allocator->alloc == NULL) {
        return default_alloc(size, align);
    }
    void *memory = allocator->alloc(allocator->context, size, align);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

void bksi_free(const bks_allocator *allocator, void *memory, size_t bytes)
{
    if (memory == NULL) {
        return;
    }
    if (allocator->release == NULL) {
        default_free(memory);
    } else {
        allocator->release(allocator->context, memory, bytes > 0 ? bytes : 1);
    }
}
