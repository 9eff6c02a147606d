// SPDX-License-Identifier: MIT

// The engine can exist only once in a process.

#include "planted.h"

typedef struct once_state {
    planted_base base;
} once_state;

static once_state engine;
static bool is_taken;

static void *once_create(const bks_start *start)
{
    (void)start;
    if (is_taken) {
        return NULL;
    }
    is_taken = true;
    engine = (once_state){0};
    return &engine;
}

static void once_destroy(void *state)
{
    (void)state;
    is_taken = false;
}

static void once_init(void *state, const bks_start *start)
{
    (void)start;
    *(once_state *)state = (once_state){0};
}

static void once_step(void *state, const bks_step *step)
{
    planted_move(&((once_state *)state)->base, step);
}

static size_t once_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(engine)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(engine));
    return sizeof(engine);
}

static bool once_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(engine)) {
        return false;
    }
    memcpy(state, bytes, sizeof(engine));
    return true;
}

static void once_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(engine));
}

PLANTED("sound_once", once_state, .create = once_create, .destroy = once_destroy, .init = once_init,
        .step = once_step, .save = once_save, .load = once_load, .hash = once_hash,
        .save_bytes_max = sizeof(engine));
