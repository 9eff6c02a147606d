// SPDX-License-Identifier: MIT

// Guard pages need the system; without one that we know the memory is the allocator's.

#define _DEFAULT_SOURCE

#include "base/pages.h"

#include "base/assert.h"
#include "base/memory.h"

#if defined(__unix__) || defined(__APPLE__)

#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

/// Of the machine's own pages.
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
