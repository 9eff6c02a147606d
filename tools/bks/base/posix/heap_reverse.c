// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/heap.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/// Sizes of blocks: multiples of SMALL_STEP up to SMALL_MAX, then four sizes for each doubling.
enum { SMALL_STEP = 16, SMALL_MAX = 1024, SMALL_SIZES = SMALL_MAX / SMALL_STEP + 1, SIZES = 120 };

/// Size from which on the C library maps a block.
enum { MAPPED_FROM = 128 * 1024 };

/// Size of a heap at a chosen address. It is smaller than the usual heap, so that it fits between
/// most mappings.
enum { PLACED_BYTES = 1 << 28 };

/// Header of a block, in the form that glibc puts before a mapped block, so that
/// malloc_usable_size() works.
typedef struct block_head {
    size_t state; ///< TAKEN (in use) or GIVEN (given back to the heap)
    size_t size;  ///< size of header and block together, with the bit MAPPED
} block_head;

enum { TAKEN = 0, GIVEN = 1, MAPPED = 2, HEAD_BYTES = 2 * sizeof(size_t) };

/// Bytes before a block, so that the block is aligned for any type.
enum { BEFORE_BYTES = 16 };

_Static_assert(sizeof(block_head) == HEAD_BYTES, "glibc has two words");

/// Size of the heap's address range. Pages that are not touched take no memory.
static const size_t all_bytes =
    (size_t)(sizeof(void *) < 8 ? UINT64_C(256) << 20 : UINT64_C(32) << 30);

static atomic_flag is_busy = ATOMIC_FLAG_INIT;
static uint8_t *begin; // first address of the heap; NULL: the C library gives all blocks
static uint8_t *end;
static uint8_t *up;   // end of the large blocks so far: the next one begins here
static uint8_t *down; // start of the small blocks so far: the next one ends here
static void *given[SIZES];

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&is_busy, memory_order_acquire)) {
        (void)sched_yield();
    }
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&is_busy, memory_order_release);
}

static void begin_with(uint8_t *all, size_t bytes)
{
    up = all;
    down = all + bytes;
    end = down;
    begin = all;
}

void heap_reverse_begin(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *all = mmap(NULL, all_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (all != MAP_FAILED) {
        begin_with(all, all_bytes);
    }
}

bool heap_reverse_begin_below(uint64_t at)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (at < (uint64_t)2 * PLACED_BYTES || at > UINTPTR_MAX - page) {
        return false;
    }
    const uintptr_t top = ((uintptr_t)at + page - 1) / page * page;
    void *wanted = (void *)(top - PLACED_BYTES);
    uint8_t *all = mmap(wanted, PLACED_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (all == MAP_FAILED || all != wanted) { // an old kernel may choose another address
        return false;
    }
    begin_with(all, (size_t)((uintptr_t)at - (uintptr_t)all));
    return true;
}

// Find the smallest block size that holds `bytes`.
// @param out_room  receives the usable bytes of a block of that size
// @return the index of the size
static uint32_t size_of(size_t bytes, size_t *out_room)
{
    if (bytes <= SMALL_MAX) {
        const size_t steps = bytes > 0 ? (bytes + SMALL_STEP - 1) / SMALL_STEP : 1;
        *out_room = steps * SMALL_STEP;
        return (uint32_t)steps;
    }
    size_t quarter = SMALL_MAX / 4;
    uint32_t size = SMALL_SIZES;
    while (bytes > 8 * quarter) {
        quarter *= 2;
        size += 4;
    }
    const size_t quarters = (bytes + quarter - 1) / quarter; // the result is 5, 6, 7 or 8
    *out_room = quarters * quarter;
    return size + (uint32_t)quarters - 5;
}

static block_head *head_of(const void *memory)
{
    return (block_head *)((uint8_t *)(uintptr_t)memory - HEAD_BYTES);
}

// Take a block from memory that was never used.
// @return NULL if the heap is full
static void *take_fresh(size_t room)
{
    const size_t bytes = room + BEFORE_BYTES;
    uint8_t *at = NULL;
    if ((size_t)(down - up) < bytes) {
        return NULL;
    }
    if (room >= MAPPED_FROM) {
        at = up;
        up += bytes;
    } else {
        down -= bytes;
        at = down;
    }
    at += BEFORE_BYTES;
    *head_of(at) = (block_head){.size = (room + HEAD_BYTES) | MAPPED};
    return at;
}

void *heap_reverse_take(size_t bytes)
{
    if (begin == NULL || bytes > HEAP_REVERSE_BYTES_MAX) {
        return NULL;
    }
    size_t room = 0;
    const uint32_t size = size_of(bytes, &room);
    lock();
    void *memory = given[size];
    if (memory != NULL) {
        given[size] = *(void **)memory;
        head_of(memory)->state = TAKEN;
    } else {
        memory = take_fresh(room);
    }
    unlock();
    return memory;
}

size_t heap_reverse_room(const void *memory)
{
    const uintptr_t at = (uintptr_t)memory;
    const bool is_ours = begin != NULL && at > (uintptr_t)begin && at < (uintptr_t)end;
    return is_ours ? (head_of(memory)->size & ~(size_t)MAPPED) - HEAD_BYTES : 0;
}

bool heap_reverse_give(void *memory)
{
    size_t room = heap_reverse_room(memory);
    if (room == 0) {
        return false;
    }
    const uint32_t size = size_of(room, &room);
    lock();
    if (head_of(memory)->state != TAKEN) {
        abort();
    }
    head_of(memory)->state = GIVEN;
    *(void **)memory = given[size];
    given[size] = memory;
    unlock();
    return true;
}
