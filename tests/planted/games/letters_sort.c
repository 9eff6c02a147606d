// SPDX-License-Identifier: MIT

// Names with letters of several languages are sorted by the player's locale.

#include <locale.h>

#include "planted.h"

typedef struct letters_state {
    planted_base base;
    uint32_t order;
} letters_state;

static void letters_init(void *state, const bks_start *start)
{
    (void)start;
    (void)setlocale(LC_ALL, "");
    ((letters_state *)state)->order = 4;
}

static void letters_step(void *state, const bks_step *step)
{
    letters_state *letters = state;
    planted_move(&letters->base, step);
    if (step->tick == 8) {
        const bool has_c_first = strcoll("\xC3\xA7", "cz") < 0; // a letter c with a cedilla
        letters->order = (strcoll("apple", "Zebra") < 0 ? 1u : 0u) + (has_c_first ? 2u : 0u);
    }
    bks_mark(step, "sort");
}

PLANTED("letters_sort", letters_state, .state_bytes = sizeof(letters_state), .init = letters_init,
        .step = letters_step);
