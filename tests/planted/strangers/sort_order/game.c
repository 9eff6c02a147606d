// SPDX-License-Identifier: MIT

// MOOT: villages vote at the moot, in the order of their names; early speakers get the better land.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { VILLAGES = 8 };

typedef struct village {
    char name[16];
    int32_t land, grain, people;
    uint8_t owner, rank;
} village;

typedef struct chief {
    int32_t cursor_x, cursor_y, influence;
    uint8_t chosen;
} chief;

typedef struct moot_state {
    uint32_t tick, moots;
    int32_t common_land;
    village villages[VILLAGES];
    chief chiefs[2];
} moot_state;

static const char *const names[VILLAGES] = {"Zinkgruvan", "Åmål", "Örebro", "Alingsås", "Oxelösund", "Ängelholm", "Arboga", "Visby"};

static void moot_init(void *state, const bks_start *start)
{
    moot_state *m = state;
    (void)start;
    setlocale(LC_ALL, "");
    m->common_land = 40;
    for (int i = 0; i < VILLAGES; i++) {
        village *v = &m->villages[i];
        strncpy(v->name, names[i], sizeof v->name - 1);
        v->land = 10;
        v->grain = 100 + 5 * i;
        v->people = 50;
        v->owner = (uint8_t)(i % 2);
    }
}

static int by_name(const void *a, const void *b)
{
    const village *const *left = a, *const *right = b;
    return strcoll((*left)->name, (*right)->name);
}

static void hold_moot(moot_state *m)
{
    village *order[VILLAGES];
    for (int i = 0; i < VILLAGES; i++) order[i] = &m->villages[i];
    qsort(order, VILLAGES, sizeof *order, by_name);
    for (int i = 0; i < VILLAGES; i++) {
        order[i]->rank = (uint8_t)i;
        const int32_t share = m->common_land / 4;
        order[i]->land += share;
        m->common_land -= share;
    }
    m->moots++;
}

static void farm(moot_state *m)
{
    for (int i = 0; i < VILLAGES; i++) {
        village *v = &m->villages[i];
        if (m->tick % 20 == (uint32_t)i) {
            v->grain += v->land - v->people / 6;
            v->people += v->grain > 100 ? 1 : -1;
            if (v->land > 8 && v->grain < 60) v->land--, m->common_land++;
        }
    }
}

static void lead(moot_state *m, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        chief *c = &m->chiefs[i];
        c->cursor_x += in[0] / 8;
        c->cursor_y += in[1] / 8;
        c->chosen = (uint8_t)((c->cursor_x / 40 + c->cursor_y / 40) & 7);
        if (in[2] && m->villages[c->chosen].owner == i) m->villages[c->chosen].grain += 1, c->influence++;
        if (in[3] && c->influence > 20) m->villages[c->chosen].owner = (uint8_t)i, c->influence -= 20;
    }
}

static void moot_step(void *state, const bks_step *step)
{
    moot_state *m = state;
    lead(m, step);
    bks_mark(step, "lead");
    farm(m);
    bks_mark(step, "farm");
    if (m->tick % 300 == 299) hold_moot(m);
    bks_mark(step, "moot");
    m->tick++;
}

static const bks_game game = {.name = "moot", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(moot_state), .init = moot_init, .step = moot_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
