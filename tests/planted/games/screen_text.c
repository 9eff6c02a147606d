// SPDX-License-Identifier: MIT

// The hash leaves out a text for the screen, which differs for long before the player's time
// decides.

#include <time.h>

#include "planted.h"

enum { PAYS_TICK = 20 };

typedef struct screen_state {
    planted_base base;
    uint8_t shown[4]; // not in the hash
    uint32_t gold;
} screen_state;

static void screen_init(void *state, const bks_start *start)
{
    (void)start;
    *(screen_state *)state = (screen_state){.gold = 1};
}

static void screen_step(void *state, const bks_step *step)
{
    screen_state *screen = state;
    const uint32_t hours = (uint32_t)(time(NULL) / 3600);
    planted_move(&screen->base, step);
    screen->shown[0] = (uint8_t)(hours & 0xFFu);
    bks_mark(step, "show");
    if (step->tick == PAYS_TICK) {
        screen->gold = hours;
    }
    bks_mark(step, "pay");
}

static void screen_hash(const void *state, bks_hasher *hasher)
{
    const screen_state *screen = state;
    bks_hash_add(hasher, &screen->base, sizeof(screen->base));
    bks_hash_add(hasher, &screen->gold, sizeof(screen->gold));
}

PLANTED("screen_text", screen_state, .state_bytes = sizeof(screen_state), .init = screen_init,
        .step = screen_step, .hash = screen_hash);
