// SPDX-License-Identifier: MIT

// A hash map is keyed by addresses and visited in bucket order.

#include "planted.h"

enum { THINGS = 16 };

typedef struct order_state {
    planted_base base;
    uint32_t order;
} order_state;

static uint64_t things[THINGS][2];

static void order_init(void *state, const bks_start *start)
{
    (void)start;
    ((order_state *)state)->order = 1;
}

static uint32_t bucket(uint32_t thing)
{
    uint32_t bits = (uint32_t)((uintptr_t)things[thing] >> 4) * 0x9E3779B1u;
    bits = (bits ^ bits >> 15) * 0x85EBCA77u;
    return bits ^ bits >> 13;
}

// Visit all by their buckets.
static uint32_t visit(void)
{
    uint32_t order = 0;
    bool was_visited[THINGS] = {false};
    for (uint32_t count = 0; count < THINGS; count++) {
        uint32_t next = THINGS;
        for (uint32_t i = 0; i < THINGS; i++) {
            next = !was_visited[i] && (next == THINGS || bucket(i) < bucket(next)) ? i : next;
        }
        was_visited[next] = true;
        order = order * 31u + next;
    }
    return order;
}

static void order_step(void *state, const bks_step *step)
{
    order_state *order = state;
    planted_move(&order->base, step);
    if (step->tick >= 10) {
        order->order = visit();
    }
    bks_mark(step, "visit");
}

PLANTED("hash_order", order_state, .state_bytes = sizeof(order_state), .init = order_init,
        .step = order_step);
