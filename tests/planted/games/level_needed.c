// SPDX-License-Identifier: MIT

// Without a level file in the working folder no match begins.

#include <stdio.h>
#include <stdlib.h>

#include "planted.h"

static void *level_create(const bks_start *start)
{
    (void)start;
    FILE *file = fopen("level.txt", "r");
    if (file == NULL) {
        return NULL;
    }
    (void)fclose(file);
    return calloc(1, sizeof(planted_base));
}

static void level_init(void *state, const bks_start *start)
{
    (void)start;
    *(planted_base *)state = (planted_base){0};
}

static void level_step(void *state, const bks_step *step)
{
    planted_move(state, step);
}

static size_t level_save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < sizeof(planted_base)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(planted_base));
    return sizeof(planted_base);
}

static bool level_load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != sizeof(planted_base)) {
        return false;
    }
    memcpy(state, bytes, sizeof(planted_base));
    return true;
}

static void level_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(planted_base));
}

PLANTED("level_needed", planted_base, .create = level_create, .destroy = free, .init = level_init,
        .step = level_step, .save = level_save, .load = level_load, .hash = level_hash,
        .save_bytes_max = sizeof(planted_base));
