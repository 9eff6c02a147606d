// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/heap.h"

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)

// The C library's own malloc(). Its blocks are neither counted nor filled.
void *__libc_malloc(size_t bytes);

// ---- make later blocks of malloc() lie at the same addresses in every process ----

/// glibc keeps freed blocks of up to KEPT_BYTES in lists, one list for each size in steps of
/// KEPT_STEP.
enum { KEPT_STEP = 16, KEPT_BYTES = 1040 };

/// Size from which on the C library maps a block. Set it to a fixed value, because by default glibc
/// raises the limit when a mapped block is freed.
enum { MAPPED_FROM = 128 * 1024, BLOCK_BYTES = 64 * 1024 };

/// Distance between the round addresses to which a heap is filled, in bytes.
static const uintptr_t heap_stretch = (uintptr_t)32 << 20;

// Allocate blocks of one size until a block lies in memory that was never used.
static void take_freed(size_t bytes)
{
    uintptr_t top = 0;
    void *memory = NULL;
    do {
        top = (uintptr_t)sbrk(0) - mallinfo2().keepcost;
        memory = __libc_malloc(bytes);
    } while (memory != NULL && (uintptr_t)memory < top);
}

static void take_all_freed(void)
{
    for (size_t bytes = BLOCK_BYTES; bytes > KEPT_BYTES; bytes /= 2) {
        take_freed(bytes);
    }
    for (size_t bytes = KEPT_BYTES; bytes > 0; bytes -= KEPT_STEP) {
        take_freed(bytes - sizeof(size_t));
    }
}

// Allocate a block, and return the address at which the next one would begin.
static uintptr_t take_to(size_t bytes)
{
    void *memory = __libc_malloc(bytes);
    return memory == NULL ? 0 : (uintptr_t)memory + malloc_usable_size(memory) + sizeof(size_t);
}

static void settle_blocks(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
    take_all_freed();
    uintptr_t next = take_to(KEPT_STEP);
    const uintptr_t end = (uintptr_t)sbrk(0);
    const uintptr_t begin = end - mallinfo2().arena;
    if (next < begin || next > end) {
        return; // give up: the heap is not contiguous
    }
    const uintptr_t least = next + KEPT_BYTES;
    const uintptr_t round = begin + (least - begin + heap_stretch) / heap_stretch * heap_stretch;
    uintptr_t last = 0;
    while (next > last && next + (size_t)2 * BLOCK_BYTES < round) {
        last = next;
        next = take_to(BLOCK_BYTES);
    }
    if (next > last && next < round) {
        (void)take_to(round - next - sizeof(size_t));
    }
}

// ---- make later mappings lie at the same addresses in every process ----

static const size_t map_stretch = sizeof(void *) < 8 ? 0 : (size_t)((uint64_t)16 << 30);

// Fill gaps between mappings. The system puts a new mapping into the highest gap that holds it.
static void settle_mappings(void)
{
    // Map a file, because some kernels move large mappings without a file to addresses for huge
    // pages.
    const int nothing = map_stretch > 0 ? memfd_create("bks-kept", MFD_CLOEXEC) : -1;
    const int flags = MAP_PRIVATE | MAP_NORESERVE;
    uint8_t *low =
        nothing < 0 ? MAP_FAILED : mmap(NULL, 2 * map_stretch, PROT_NONE, flags, nothing, 0);
    if (nothing >= 0) {
        (void)close(nothing);
    }
    if (low == MAP_FAILED) {
        return;
    }
    const uintptr_t end = (uintptr_t)low + 2 * map_stretch;
    uint8_t *round = (uint8_t *)((end - 1) / map_stretch * map_stretch);
    static const size_t sizes[] = {1 << 20, 1 << 16, 1 << 12};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *at = NULL;
        do {
            at = mmap(NULL, sizes[i], PROT_NONE, flags | MAP_ANONYMOUS, -1, 0);
        } while (at != MAP_FAILED && at > low);
        if (at != MAP_FAILED) {
            (void)munmap(at, sizes[i]);
        }
    }
    (void)munmap(low, (size_t)(round - low));
}

void heap_settle(void)
{
    if (alloc_count_works()) {
        settle_blocks();
        settle_mappings();
    }
}

#else

void heap_settle(void)
{
}

#endif
