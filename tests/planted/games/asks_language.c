// SPDX-License-Identifier: MIT

// The step reads a text in the player's language.

#include <stdlib.h>

#include "planted.h"

typedef struct language_state {
    planted_base base;
    uint32_t letters;
} language_state;

static void language_init(void *state, const bks_start *start)
{
    (void)start;
    ((language_state *)state)->letters = 0;
}

static void language_step(void *state, const bks_step *step)
{
    language_state *asking = state;
    const char *language = getenv("LANG");
    planted_move(&asking->base, step);
    if (step->tick == 6) {
        const int is_german = language != NULL && strncmp(language, "de", 2) == 0;
        asking->letters = (uint32_t)strlen(is_german ? "Feuer" : "fire");
    }
    bks_mark(step, "read");
}

PLANTED("asks_language", language_state, .state_bytes = sizeof(language_state),
        .init = language_init, .step = language_step);
