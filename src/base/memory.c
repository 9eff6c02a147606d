// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE // makes the headers of the system declare MAP_ANONYMOUS

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "base/report.h"

/// Least alignment, enough for every scalar.
#define ALIGNMENT_MIN 16u

bool bksi_allocator_ok(const bks_allocator *allocator)
{
    return (allocator->alloc == NULL) == (allocator->release == NULL);
}

/// Allocate zeroed memory with an alignment. calloc gives big blocks as untouched zero pages, which
/// aligned_alloc with memset would not, and calloc exists on every platform. The pointer from
/// calloc is stored just before the returned memory. calloc aligns to sizeof(void *) at least, so
/// `alignment` more bytes hold both this pointer and the gap for the alignment.
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

// Guard pages need system calls that this file knows for some systems only. On other systems the
// memory comes from the allocator.

#if defined(__unix__) || defined(__APPLE__)

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

/// Return the size of a guard: the machine's page size, at least BKSI_PAGE_BYTES.
static size_t guard_bytes(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > (long)BKSI_PAGE_BYTES ? (size_t)bytes : BKSI_PAGE_BYTES;
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static void *map(size_t bytes)
{
    const size_t guard = guard_bytes();
    if (bytes > SIZE_MAX - 3 * guard) {
        return NULL;
    }
    const size_t inner = round_up(bytes, guard);
    uint8_t *all = mmap(NULL, inner + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        return NULL;
    }
    if (mprotect(all + guard, inner, PROT_READ | PROT_WRITE) != 0) {
        (void)munmap(all, inner + 2 * guard);
        return NULL;
    }
    return all + guard + inner - bytes;
}

static void unmap(void *memory, size_t bytes)
{
    const size_t guard = guard_bytes();
    const size_t inner = round_up(bytes, guard);
    (void)munmap((uint8_t *)memory + bytes - inner - guard, inner + 2 * guard);
}

#else

static void *map(size_t bytes)
{
    const bks_allocator none = {0};
    return bksi_alloc(&none, bytes, BKSI_PAGE_BYTES);
}

static void unmap(void *memory, size_t bytes)
{
    const bks_allocator none = {0};
    bksi_free(&none, memory, bytes);
}

#endif

void *bksi_pages_alloc(const bks_allocator *allocator, size_t bytes)
{
    BKS_ASSERT(bytes > 0);
    BKS_ASSERT(bytes % BKSI_PAGE_BYTES == 0);
    return allocator->alloc == NULL ? map(bytes) : bksi_alloc(allocator, bytes, BKSI_PAGE_BYTES);
}

void bksi_pages_free(const bks_allocator *allocator, void *memory, size_t bytes)
{
    if (memory == NULL) {
        return;
    }
    if (allocator->release == NULL) {
        unmap(memory, bytes);
    } else {
        bksi_free(allocator, memory, bytes);
    }
}

/// Capacity of a list after its first growth.
#define LIST_CAPACITY_MIN 16u

bool bksi_list_add(bksi_list *list, const void *item, const bks_allocator *allocator)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity > 0 ? 2 * list->capacity : LIST_CAPACITY_MIN;
        uint8_t *items = bksi_alloc(allocator, capacity * list->item_bytes, 16);
        if (items == NULL) {
            return false;
        }
        if (list->count > 0) {
            memcpy(items, list->items, list->count * list->item_bytes);
        }
        bksi_free(allocator, list->items, list->capacity * list->item_bytes);
        list->items = items;
        list->capacity = capacity;
    }
    memcpy(bksi_list_at(list, list->count), item, list->item_bytes);
    list->count++;
    return true;
}

void bksi_list_free(bksi_list *list, const bks_allocator *allocator)
{
    bksi_free(allocator, list->items, list->capacity * list->item_bytes);
    *list = (bksi_list){.item_bytes = list->item_bytes};
}

size_t bksi_list_find_tick(const bksi_list *list, size_t tick_offset, int64_t tick)
{
    size_t low = 0;
    for (size_t high = list->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        bks_tick there = 0;
        memcpy(&there, (const uint8_t *)bksi_list_at(list, middle) + tick_offset, sizeof(there));
        if (there < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
