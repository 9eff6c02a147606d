// SPDX-License-Identifier: MIT

// `save` and `load` leave out an empty slot, and one kind of spawning keeps what the slot held.

#include <stdlib.h>

#include "planted.h"

enum { LIVES_TICKS = 5, EVERY_TICKS = 6 };

typedef struct slot_state {
    planted_base base;
    int32_t age; ///< ticks since spawning, 0: the slot is empty
    int32_t rage;
    int32_t way;
} slot_state;

static void *slot_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(slot_state));
}

static void slot_init(void *state, const bks_start *start)
{
    (void)start;
    *(slot_state *)state = (slot_state){.way = 1};
}

static void slot_step(void *state, const bks_step *step)
{
    slot_state *slot = state;
    planted_move(&slot->base, step);
    const bool is_empty = slot->age == 0;
    slot->age = is_empty ? 0 : (slot->age + 1) % LIVES_TICKS;
    for (uint32_t player = 0; player < step->players && is_empty && slot->age == 0; player++) {
        const int32_t move = step->inputs[player];
        const bool is_raging = move != 0 && ((uint32_t)(move + step->tick / EVERY_TICKS) & 1) != 0;
        slot->age = move != 0 ? 1 : 0;
        slot->rage = is_raging ? step->tick : slot->rage; // a calm one should begin with 0
    }
    bks_mark(step, "spawn");
    slot->way += slot->age > 0 ? slot->rage : 0;
    bks_mark(step, "way");
}

static size_t slot_save(const void *state, void *bytes, size_t capacity_bytes)
{
    slot_state saved = *(const slot_state *)state;
    saved.rage = saved.age > 0 ? saved.rage : 0;
    memcpy(bytes, &saved, capacity_bytes < sizeof(saved) ? 0 : sizeof(saved));
    return capacity_bytes < sizeof(saved) ? 0 : sizeof(saved);
}

static bool slot_load(void *state, const void *bytes, size_t count_bytes)
{
    slot_state *slot = state;
    const int32_t rage = slot->rage;
    if (count_bytes != sizeof(*slot)) {
        return false;
    }
    memcpy(slot, bytes, sizeof(*slot));
    slot->rage = slot->age > 0 ? slot->rage : rage;
    return true;
}

static void slot_hash(const void *state, bks_hasher *hasher)
{
    slot_state saved;
    bks_hash_add(hasher, &saved, slot_save(state, &saved, sizeof(saved)));
}

PLANTED("reused_slot", slot_state, .create = slot_create, .destroy = free, .init = slot_init,
        .step = slot_step, .save = slot_save, .load = slot_load, .hash = slot_hash,
        .save_bytes_max = sizeof(slot_state));
