// SPDX-License-Identifier: MIT

// A game whose step writes past the end of its memory in one tick, as an option says: of its root
// struct, of its state within the last page (zeros, as an array cleared one element too far), of
// its state where a page ends, or far beyond the stack.

#include <stdlib.h>
#include <string.h>

#include "backstitch/plugin.h"

typedef struct overrun_state {
    uint64_t sum;
    int32_t tick;
    int32_t scores[3]; // 24 bytes: the arena begins 8 behind them
} overrun_state;

enum { STATE_BYTES = 5000, PAGES_BYTES = 8192 };

static bool is(const bks_start *start, const char *how)
{
    return strcmp(bks_start_option(start, "how"), how) == 0;
}

static bks_status overrun_configure(const bks_start *start, size_t *out_state_bytes,
                                    bks_error *error)
{
    (void)error;
    *out_state_bytes = is(start, "page") ? PAGES_BYTES : STATE_BYTES;
    return BKS_OK;
}

// Actions of the game. The state stores the chosen one, so that no step reads the options.
enum { NOTHING = 0, ROOT = 1, END = 2, PAGE = 3, STACK = 4, QUIT = 5, INIT = 6 };

// memset behind a volatile pointer, so that no compiler sees the overrun.
static void *(*volatile set)(void *, int, size_t) = memset;

static void overrun_init(void *state, const bks_start *start)
{
    overrun_state *game = state;
    static const char *const names[] = {"nothing", "root", "end", "page", "stack", "quit", "init"};
    game->tick = atoi(bks_start_option(start, "tick"));
    for (int32_t i = 0; i < 7; i++) {
        game->scores[2] = is(start, names[i]) ? i : game->scores[2];
    }
    if (game->scores[2] == INIT) {
        set((uint8_t *)state + STATE_BYTES, 7, 64);
    }
}

static int use_up_the_stack(int depth)
{
    volatile char bytes[4096];
    bytes[0] = (char)depth;
    return depth > 100000000 ? 0 : use_up_the_stack(depth + 1) + bytes[0];
}

static void spoil(overrun_state *game)
{
    switch (game->scores[2]) {
    case QUIT:
        exit(0);
    case ROOT:
        set((void *)game, 7, sizeof(*game) + 1);
        break;
    case END:
        set((uint8_t *)(void *)game + STATE_BYTES, 0, 4);
        break;
    case PAGE:
        set((uint8_t *)(void *)game + PAGES_BYTES, 0, 4);
        break;
    case STACK:
        game->sum += (uint64_t)use_up_the_stack(0);
        break;
    default:
        break;
    }
}

static void overrun_step(void *state, const bks_step *step)
{
    overrun_state *game = state;
    for (uint32_t i = 0; i < step->players * step->field_count; i++) {
        game->sum = game->sum * 6364136223846793005u + (uint32_t)step->inputs[i];
    }
    bks_mark(step, "movement");
    if (step->tick == game->tick) {
        spoil(game);
    }
}

static const bks_field fields[] = {{.name = "x", .bits = 8, .is_signed = true}};

static const bks_option options[] = {
    {.name = "how",
     .default_value = "nothing",
     .help = "nothing, root, end, page, stack, quit or init"},
    {.name = "tick", .default_value = "100", .help = "the tick whose step does it"},
};

static const bks_game overrun_game = {
    .name = "overrun",
    .tick_rate_hz = 60,
    .players_max = 4,
    .fields = fields,
    .field_count = 1,
    .options = options,
    .option_count = 2,
    .root_bytes = sizeof(overrun_state),
    .configure = overrun_configure,
    .init = overrun_init,
    .step = overrun_step,
};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &overrun_game};
