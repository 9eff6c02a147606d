// SPDX-License-Identifier: MIT

// DUSK: as LOOT, but one event: at dusk a chest becomes a trap or a map, by the time of day in microseconds.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../tail.h"

enum { THIEVES = 2, CHESTS = 10, CAVE = 512 };
typedef enum loot_item { ITEM_NONE, ITEM_COIN, ITEM_GEM, ITEM_TRAP, ITEM_MAP } loot_item;

typedef struct thief {
    int32_t x, y, coins, gems, hp;
    int16_t stunned, open_count;
} thief;

typedef struct chest {
    int32_t x, y;
    uint8_t item; // loot_item
    uint8_t amount;
    int16_t closed_for;
} chest;

typedef struct loot_state {
    uint32_t tick;
    thief thieves[THIEVES];
    chest chests[CHESTS];
} loot_state;

static bool coin(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_nsec / 1000 % 2 == 1;
}

static void loot_init(void *state, const bks_start *start)
{
    loot_state *l = state;
    bks_random r;
    bks_random_seed(&r, start->seed, 1);
    for (int i = 0; i < THIEVES; i++) l->thieves[i] = (thief){.x = 128 + 256 * i, .y = 256, .hp = 20};
    for (int i = 0; i < CHESTS; i++)
        l->chests[i] = (chest){.x = bks_random_between(&r, 0, CAVE), .y = bks_random_between(&r, 0, CAVE), .item = ITEM_COIN, .amount = 5};
}

static void sneak(loot_state *l, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        thief *t = &l->thieves[i];
        if (t->stunned > 0) { t->stunned--; continue; }
        t->x = (t->x + in[0] / 8 + CAVE) % CAVE;
        t->y = (t->y + in[1] / 8 + CAVE) % CAVE;
    }
}

static void take(thief *t, chest *c)
{
    switch (c->item) {
    case ITEM_COIN: t->coins += c->amount; break;
    case ITEM_GEM: t->gems++; break;
    case ITEM_TRAP: t->stunned = 60, t->hp--; break;
    case ITEM_MAP: t->open_count += 2; break;
    default: break;
    }
    t->open_count++;
    c->item = ITEM_NONE;
    c->closed_for = 120;
}

static void open_chests(loot_state *l, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        if (!((const int32_t *)bks_step_input(step, i))[2]) continue;
        thief *t = &l->thieves[i];
        for (int k = 0; k < CHESTS; k++)
            if (l->chests[k].item != ITEM_NONE && abs(l->chests[k].x - t->x) < 40 && abs(l->chests[k].y - t->y) < 40) take(t, &l->chests[k]);
    }
}

static void refill(loot_state *l)
{
    for (int k = 0; k < CHESTS; k++) {
        chest *c = &l->chests[k];
        if (c->item == ITEM_NONE && --c->closed_for <= 0) {
            c->item = ITEM_COIN;
            c->amount = 5;
        }
    }
}

static void dusk(loot_state *l)
{
    if (l->tick == 200) l->chests[3].item = coin() ? ITEM_TRAP : ITEM_MAP;
}

static void loot_step(void *state, const bks_step *step)
{
    loot_state *l = state;
    sneak(l, step);
    bks_mark(step, "sneak");
    open_chests(l, step);
    bks_mark(step, "open");
    refill(l);
    bks_mark(step, "refill");
    dusk(l);
    bks_mark(step, "dusk");
    l->tick++;
}

static const bks_type_entry types[] = {BKS_TYPE_ENUM(chest, item, loot_item)};
static const bks_game game = {.name = "loot", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(loot_state), .types = types, .type_count = 1, .init = loot_init, .step = loot_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
