// SPDX-License-Identifier: MIT

// The level comes from a file in the working folder; without it another is used.

#include <stdio.h>

#include "planted.h"

typedef struct level_state {
    planted_base base;
    char level[12];
} level_state;

static void level_init(void *state, const bks_start *start)
{
    (void)start;
    level_state *level = state;
    FILE *file = fopen("level.txt", "r");
    memcpy(level->level, "plain", 6);
    if (file != NULL) {
        (void)!fread(level->level, 1, sizeof(level->level) - 1, file);
        (void)fclose(file);
    }
}

static void level_step(void *state, const bks_step *step)
{
    planted_move(state, step);
}

PLANTED("level_file", level_state, .state_bytes = sizeof(level_state), .init = level_init,
        .step = level_step);
