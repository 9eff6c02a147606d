// SPDX-License-Identifier: MIT

// After `load` things have another order, and `save` writes it. Neither the hash nor the rules look
// at the order.

#include <stdlib.h>

#include "planted.h"

typedef struct thing {
    uint32_t number;
    int32_t way;
} thing;

typedef struct order_state {
    planted_base base;
    thing things[2];
} order_state;

static void *saved_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(order_state));
}

static void saved_init(void *state, const bks_start *start)
{
    (void)start;
    order_state *order = state;
    order->things[0].number = 1;
    order->things[1].number = 2;
}

static void saved_step(void *state, const bks_step *step)
{
    order_state *order = state;
    planted_move(&order->base, step);
    for (int i = 0; i < 2; i++) {
        order->things[i].way += (int32_t)order->things[i].number;
    }
    bks_mark(step, "way");
}

static size_t saved_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(order_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(order_state));
    return sizeof(order_state);
}

static bool saved_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(order_state)) {
        return false;
    }
    order_state *order = state;
    memcpy(order, bytes, sizeof(*order));
    const thing first = order->things[0];
    order->things[0] = order->things[1];
    order->things[1] = first;
    return true;
}

static void saved_hash(const void *state, bks_hasher *hasher)
{
    const order_state *order = state;
    const uint32_t sum = order->things[0].number * (uint32_t)(order->things[0].way + 5) +
                         order->things[1].number * (uint32_t)(order->things[1].way + 5);
    bks_hash_add(hasher, &order->base, sizeof(order->base));
    bks_hash_add(hasher, &sum, sizeof(sum));
}

PLANTED("saved_order", order_state, .create = saved_create, .destroy = free, .init = saved_init,
        .step = saved_step, .save = saved_save, .load = saved_load, .hash = saved_hash,
        .save_bytes_max = sizeof(order_state));
