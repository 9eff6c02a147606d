// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "record/run/vary.h"

#include <stdlib.h>
#include <string.h>

#include "base/altered_system.h"
#include "base/heap.h"
#include "base/system.h"

enum {
    PAGE_BYTES = 4096,
    STACK_BYTES = 32768,
    PAGES_APART = 1237,
    HEAP_APART_BYTES = 70001,
    DAY_S = 86400,
};

const char *vary_names(void)
{
    return alloc_count_works()
               ? "ticks stepped before, heap fill, stack, addresses, clock, random numbers of the "
                 "C library"
               : "ticks stepped before, stack, addresses, clock, random numbers of the C library";
}

// Another byte for each run, none of them 0.
static uint8_t pattern_of(uint32_t run)
{
    return (uint8_t)(run * 89u % 255u + 1u);
}

// Other addresses, where the system does not see to it by itself.
static void move_addresses(uint32_t run)
{
    system_take_addresses((size_t)run * PAGES_APART * PAGE_BYTES);
    // Kept until the process ends, so that all that comes behind lies elsewhere.
    static void *volatile kept;
    kept = malloc((size_t)(run % 1000u) * HEAP_APART_BYTES);
    (void)kept;
}

void vary_begin(uint32_t run)
{
    if (run == 0) {
        return;
    }
    move_addresses(run);
    alloc_count_fill(pattern_of(run));
    // Another day, another second, and it runs faster, for games that only look at how much passed.
    clock_shift_begin((int64_t)run * (41 * DAY_S + 25627), 1 + 997 * run);
    srand(run * 7919u);
    srand48((long)run * 104729);
}

bks_tick vary_ticks_before(uint32_t run)
{
    const uint32_t r = run % 100u;
    return (bks_tick)(2u * r * r);
}

bks_tick vary_ticks_behind(uint32_t run)
{
    return run == 0 ? 0 : (bks_tick)(2u * (run % 1000u) + 1u);
}

__attribute__((noinline)) void vary_stack(uint32_t run)
{
    if (run > 0) {
        volatile uint8_t bytes[STACK_BYTES];
        for (size_t i = 0; i < sizeof(bytes); i += sizeof(bytes) / 512) {
            memset((uint8_t *)(uintptr_t)(bytes + i), pattern_of(run), sizeof(bytes) / 512);
        }
    }
}
