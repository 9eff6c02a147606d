// SPDX-License-Identifier: MIT

// BAZAAR: traders carry goods; at night the guards sleep, on weekends prices double ("seasonal event").
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../tail.h"

enum { TRADERS = 2, STALLS = 6 };

typedef struct trader {
    int32_t x, y, coins, bag;
    uint8_t busy, hidden;
} trader;

typedef struct stall {
    int32_t x, y, price, stock;
} stall;

typedef struct event_state {
    int32_t bonus_percent;
    uint8_t guards_sleep, holiday;
} event_state;

typedef struct bazaar_state {
    uint32_t tick;
    trader traders[TRADERS];
    event_state event;
    stall stalls[STALLS];
} bazaar_state;

static void bazaar_init(void *state, const bks_start *start)
{
    bazaar_state *b = state;
    for (int i = 0; i < TRADERS; i++) b->traders[i] = (trader){.x = 100 + 300 * i, .y = 200, .coins = 50};
    for (int i = 0; i < STALLS; i++)
        b->stalls[i] = (stall){60 + 80 * i, 60 + 50 * (i % 4), 4 + (int)(start->seed + (uint64_t)i) % 3, 30};
}

// Checked every five seconds, so that an event begins without a restart.
static void check_event(bazaar_state *b)
{
    if (b->tick % 300 != 150) return;
    const time_t now = time(NULL);
    const struct tm *local = localtime(&now);
    b->event.guards_sleep = local->tm_hour >= 22 || local->tm_hour < 6;
    b->event.holiday = local->tm_mon == 11 && local->tm_mday <= 26;
    b->event.bonus_percent = local->tm_wday == 0 || local->tm_wday == 6 ? 100 : local->tm_hour;
}

static void walk(bazaar_state *b, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        trader *t = &b->traders[i];
        t->x = (t->x + in[0] / 10 + 500) % 500;
        t->y = (t->y + in[1] / 10 + 300) % 300;
        t->hidden = in[3] && b->event.guards_sleep;
    }
}

static void trade(bazaar_state *b, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        trader *t = &b->traders[i];
        const int32_t *in = bks_step_input(step, i);
        for (int k = 0; k < STALLS; k++) {
            stall *s = &b->stalls[k];
            if (abs(s->x - t->x) > 30 || abs(s->y - t->y) > 30) continue;
            if (in[2] && t->coins >= s->price && s->stock > 0 && !t->busy) {
                t->coins -= s->price;
                t->bag++;
                s->stock--;
                t->busy = 10;
            } else if (!in[2] && t->bag > 0 && !t->busy) {
                t->coins += (s->price + 1) * (100 + b->event.bonus_percent) / 100;
                t->bag--;
                s->stock++;
                t->busy = 10;
            }
        }
        if (t->busy) t->busy--;
    }
}

static void bazaar_step(void *state, const bks_step *step)
{
    bazaar_state *b = state;
    walk(b, step);
    bks_mark(step, "walk");
    check_event(b);
    bks_mark(step, "event");
    trade(b, step);
    bks_mark(step, "trade");
    b->tick++;
}

static const bks_game game = {.name = "bazaar", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(bazaar_state), .init = bazaar_init, .step = bazaar_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
