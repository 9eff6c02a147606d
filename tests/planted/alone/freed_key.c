// SPDX-License-Identifier: MIT

// A key is read from freed heap memory, where the C library has put an address of its own.

#include <stdlib.h>

#include "planted.h"

enum { BLOCK_BYTES = 40, KEY_TICK = 14 };

typedef struct key_state {
    planted_base base;
    uint32_t key;
} key_state;

static void key_init(void *state, const bks_start *start)
{
    ((key_state *)state)->key = (uint32_t)start->seed;
}

// Hide the free() from the compiler, because it would warn.
static void drop(uint32_t *block)
{
    __asm__ volatile("" : "+r"(block) : : "memory");
    free(block);
}

static void key_step(void *state, const bks_step *step)
{
    key_state *key = state;
    planted_move(&key->base, step);
    uint32_t *volatile block = step->tick == KEY_TICK ? calloc(1, BLOCK_BYTES) : NULL;
    if (block != NULL) {
        drop(block);
        key->key = *block;
    }
    bks_mark(step, "key");
}

PLANTED("freed_key", key_state, .state_bytes = sizeof(key_state), .init = key_init,
        .step = key_step);
