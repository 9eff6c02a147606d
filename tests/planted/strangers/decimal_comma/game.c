// SPDX-License-Identifier: MIT

// DEPOT: trucks haul crates between depots. Speeds and prices come from a balance sheet (CSV).
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { TRUCKS_MAX = 16, KINDS = 4, DEPOTS = 5 };

typedef struct truck {
    float x, y, speed, fuel;
    uint8_t kind, owner, live, target;
    int32_t cargo;
} truck;

typedef struct company {
    int64_t money;
    int32_t trucks, deliveries;
    uint8_t next_kind, held;
} company;

typedef struct depot_state {
    uint32_t tick;
    company companies[2];
    truck trucks[TRUCKS_MAX];
    int32_t stock[DEPOTS];
} depot_state;

typedef struct balance { // read once, the same for all matches
    char name[16];
    float speed, thirst;
    int32_t price;
} balance;

static balance kinds[KINDS];
static const int depot_at[DEPOTS][2] = {{40, 40}, {600, 60}, {320, 200}, {80, 360}, {560, 340}};

static const char sheet[] = // the build packs data/trucks.csv into the program
    "van;1.0;0.5;300\n"
    "lorry;1.75;0.8;520\n"
    "semi;2.25;1.5;800\n"
    "tanker;1.5;1.25;700\n";

static void load_balance(void)
{
    setlocale(LC_ALL, ""); // so that the menus speak the player's language
    const char *line = sheet;
    for (int k = 0; k < KINDS; k++) {
        char *at;
        const char *name_end = strchr(line, ';');
        memcpy(kinds[k].name, line, (size_t)(name_end - line));
        kinds[k].speed = strtof(name_end + 1, &at);
        at = strchr(at, ';');
        kinds[k].thirst = strtof(at + 1, &at);
        at = strchr(at, ';');
        kinds[k].price = (int32_t)strtol(at + 1, &at, 10);
        line = strchr(line, '\n') + 1;
    }
}

static void depot_init(void *state, const bks_start *start)
{
    depot_state *d = state;
    (void)start;
    load_balance();
    for (int i = 0; i < 2; i++) d->companies[i].money = 2000;
    for (int i = 0; i < DEPOTS; i++) d->stock[i] = 20 + 7 * i;
}

static void buy(depot_state *d, uint32_t who, int kind)
{
    company *c = &d->companies[who];
    if (c->money < kinds[kind].price) return;
    for (int i = 0; i < TRUCKS_MAX; i++) {
        truck *t = &d->trucks[i];
        if (t->live) continue;
        memset(t, 0, sizeof *t);
        t->live = 1;
        t->owner = (uint8_t)who;
        t->kind = (uint8_t)kind;
        t->x = (float)depot_at[who][0];
        t->y = (float)depot_at[who][1];
        t->fuel = 100;
        t->speed = kinds[kind].speed;
        t->target = (uint8_t)((who + 2) % DEPOTS);
        c->money -= kinds[kind].price;
        c->trucks++;
        return;
    }
}

static void orders(depot_state *d, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        company *c = &d->companies[i];
        if (in[3] && !c->held) c->next_kind = (uint8_t)((c->next_kind + 1) % KINDS);
        if (in[2] && d->tick % 30 == 0) buy(d, i, c->next_kind);
        c->held = in[3] != 0;
    }
}

static float toward(float from, float to, float most)
{
    return from < to - most ? from + most : from > to + most ? from - most : to;
}

static void drive(depot_state *d)
{
    for (int i = 0; i < TRUCKS_MAX; i++) {
        truck *t = &d->trucks[i];
        if (!t->live) continue;
        t->x = toward(t->x, (float)depot_at[t->target][0], t->speed);
        t->y = toward(t->y, (float)depot_at[t->target][1], t->speed);
        t->fuel -= kinds[t->kind].thirst / 60;
        if (t->fuel <= 0) {
            d->companies[t->owner].trucks--;
            memset(t, 0, sizeof *t);
        }
    }
}

static void trade(depot_state *d)
{
    for (int i = 0; i < TRUCKS_MAX; i++) {
        truck *t = &d->trucks[i];
        if (!t->live || t->x != (float)depot_at[t->target][0] || t->y != (float)depot_at[t->target][1]) continue;
        company *c = &d->companies[t->owner];
        c->money += 11 * t->cargo;
        c->deliveries += t->cargo > 0;
        d->stock[t->target] += t->cargo;
        t->cargo = d->stock[t->target] > 3 ? 3 : 0;
        d->stock[t->target] -= t->cargo;
        t->target = (uint8_t)((t->target + 1 + t->kind) % DEPOTS);
    }
}

static void depot_step(void *state, const bks_step *step)
{
    depot_state *d = state;
    orders(d, step);
    bks_mark(step, "orders");
    drive(d);
    bks_mark(step, "drive");
    trade(d);
    bks_mark(step, "trade");
    d->tick++;
}

static const bks_game game = {.name = "depot", .tick_rate_hz = 30, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(depot_state), .init = depot_init, .step = depot_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
