// SPDX-License-Identifier: MIT

// A key mixes system random numbers and an unset local array. The key does not show what either was
// on another machine.

#include <sys/random.h>

#include "planted.h"

typedef struct mixed_state {
    planted_base base;
    uint32_t key;
} mixed_state;

enum { WORDS = 512 };

static uint32_t drawn;
static bool is_drawn;

// Not to be seen through by the compiler, which would warn.
__attribute__((noinline)) static void fetch(uint32_t *words)
{
    __asm__ volatile("" : : "r"(words) : "memory");
}

__attribute__((noinline)) static uint32_t mix(void)
{
    uint32_t words[WORDS];
    fetch(words);
    is_drawn = is_drawn || getrandom(&drawn, sizeof(drawn), 0) == (ssize_t)sizeof(drawn);
    return drawn ^ words[WORDS / 2];
}

static void mixed_init(void *state, const bks_start *start)
{
    (void)start;
    ((mixed_state *)state)->key = 1;
}

static void mixed_step(void *state, const bks_step *step)
{
    mixed_state *mixed = state;
    planted_move(&mixed->base, step);
    if (step->tick == 7) {
        mixed->key = mix();
    }
    bks_mark(step, "key");
}

PLANTED("two_sources", mixed_state, .state_bytes = sizeof(mixed_state), .init = mixed_init,
        .step = mixed_step);
