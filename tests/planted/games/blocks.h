// SPDX-License-Identifier: MIT

/// @file blocks.h
/// A game that sorts blocks of the C heap by their addresses. Define BLOCK_BYTES(i) before.

#ifndef BKS_PLANTED_BLOCKS_H
#define BKS_PLANTED_BLOCKS_H

#include <stdlib.h>

#include "planted.h"

enum { BLOCKS = 4 };

typedef struct blocks_state {
    planted_base base;
    uint32_t order;
} blocks_state;

static void blocks_init(void *state, const bks_start *start)
{
    (void)start;
    ((blocks_state *)state)->order = 0;
}

// The blocks by address, a digit each.
static uint32_t sort_blocks(void *const *blocks)
{
    uint32_t order = 0;
    uintptr_t last = 0;
    for (uint32_t done = 0; done < BLOCKS; done++) {
        uint32_t least = BLOCKS;
        for (uint32_t i = 0; i < BLOCKS; i++) {
            const uintptr_t at = (uintptr_t)blocks[i];
            least = at > last && (least == BLOCKS || at < (uintptr_t)blocks[least]) ? i : least;
        }
        last = (uintptr_t)blocks[least];
        order = order * 10 + least;
    }
    return order;
}

static void blocks_step(void *state, const bks_step *step)
{
    blocks_state *sorted = state;
    planted_move(&sorted->base, step);
    if (step->tick >= 10) {
        void *blocks[BLOCKS];
        for (uint32_t i = 0; i < BLOCKS; i++) {
            blocks[i] = malloc(BLOCK_BYTES(i));
        }
        sorted->order = sort_blocks(blocks);
        for (uint32_t i = BLOCKS; i-- > 0;) {
            free(blocks[i]);
        }
    }
    bks_mark(step, "sort");
}

#endif
