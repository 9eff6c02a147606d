// SPDX-License-Identifier: MIT

// HAVEN (two faults): cafe game. Fault 1: the tip jar's combo is a static. Fault 2: happy hour by localtime().
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../tail.h"

enum { WAITERS = 2, TABLES = 8, HALL = 400 };

typedef struct waiter {
    int32_t x, y, tips, plates;
    int16_t tired, held;
} waiter;

typedef struct table {
    int32_t x, y;
    int16_t hunger, patience;
    uint8_t guests, served_by;
} table;

typedef struct haven_state {
    uint32_t tick, served;
    waiter waiters[WAITERS];
    table tables[TABLES];
    bks_random random;
    int32_t rent, happy_percent;
} haven_state;

static void haven_init(void *state, const bks_start *start)
{
    haven_state *h = state;
    bks_random_seed(&h->random, start->seed, 1);
    h->rent = 100;
    for (int i = 0; i < WAITERS; i++) h->waiters[i] = (waiter){.x = 100 + 200 * i, .y = 200};
    for (int i = 0; i < TABLES; i++) h->tables[i] = (table){.x = 50 + 100 * (i % 4), .y = 100 + 200 * (i / 4)};
}

static void walk(haven_state *h, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        waiter *w = &h->waiters[i];
        w->x = (w->x + in[0] / 8 + HALL) % HALL;
        w->y = (w->y + in[1] / 8 + HALL) % HALL;
        if (w->tired > 0) w->tired--;
        if (in[3] && w->plates < 4 && w->y < 60) w->plates++;
    }
}

static void guests_come(haven_state *h)
{
    for (int i = 0; i < TABLES; i++) {
        table *t = &h->tables[i];
        if (t->guests == 0 && bks_random_below(&h->random, 60) == 0) {
            t->guests = (uint8_t)(1 + bks_random_below(&h->random, 4));
            t->hunger = 40;
            t->patience = 600;
        } else if (t->guests > 0 && --t->patience <= 0) {
            t->guests = 0;
        }
    }
}

static int32_t combo_tip(uint32_t who)
{
    static int32_t combo[WAITERS];
    combo[who] = combo[who] < 10 ? combo[who] + 1 : 1;
    return combo[who];
}

static void serve(haven_state *h, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        waiter *w = &h->waiters[i];
        if (!((const int32_t *)bks_step_input(step, i))[2] || w->tired > 0) continue;
        for (int k = 0; k < TABLES; k++) {
            table *t = &h->tables[k];
            if (t->guests == 0 || abs(t->x - w->x) > 40 || abs(t->y - w->y) > 60) continue;
            w->tips += combo_tip(i) * t->guests;
            w->tired = 20;
            t->guests = 0;
            t->served_by = (uint8_t)i;
            h->served++;
            break;
        }
    }
}

static void close_day(haven_state *h)
{
    if (h->tick % 240 != 239) return;
    const time_t now = time(NULL);
    h->happy_percent = localtime(&now)->tm_hour * 4;
    for (int i = 0; i < WAITERS; i++) h->waiters[i].tips -= h->rent / 10 * (100 - h->happy_percent / 2) / 100;
    h->rent += 5;
}

static void haven_step(void *state, const bks_step *step)
{
    haven_state *h = state;
    walk(h, step);
    bks_mark(step, "walk");
    guests_come(h);
    bks_mark(step, "guests");
    serve(h, step);
    bks_mark(step, "serve");
    close_day(h);
    bks_mark(step, "day");
    h->tick++;
}

static const bks_game game = {.name = "haven", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(haven_state), .init = haven_init, .step = haven_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
