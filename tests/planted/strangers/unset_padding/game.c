// SPDX-License-Identifier: MIT

// ORDERS: a queue of build orders for two cities. Orders are made on the heap, then copied into the queue.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { CITIES = 2, QUEUE = 16 };
typedef enum order_kind { ORDER_HOUSE, ORDER_FARM, ORDER_WALL, ORDER_SHIP } order_kind;

typedef struct order {
    uint8_t kind; // order_kind
    int32_t cost;
    uint16_t ticks;
    uint8_t city;
    int64_t placed_at;
} order;

typedef struct city {
    int32_t wood, food, people, walls, ships;
    int16_t held;
    uint8_t menu, level;
} city;

typedef struct orders_state {
    uint32_t tick, queued, finished;
    city cities[CITIES];
    order queue[QUEUE];
} orders_state;

static void orders_init(void *state, const bks_start *start)
{
    orders_state *o = state;
    (void)start;
    for (int i = 0; i < CITIES; i++) o->cities[i] = (city){.wood = 60, .food = 60, .people = 4, .level = 1};
}

static order *make_order(const orders_state *o, int kind, int who)
{
    static const int32_t costs[] = {10, 14, 25, 40};
    order *made = malloc(sizeof *made);
    made->kind = (uint8_t)kind;
    made->cost = costs[kind] * o->cities[who].level;
    made->ticks = (uint16_t)(60 + 20 * kind);
    made->city = (uint8_t)who;
    made->placed_at = o->tick;
    return made;
}

static void enqueue(orders_state *o, const order *made)
{
    if (o->queued >= QUEUE) return;
    memcpy(&o->queue[o->queued++], made, sizeof *made);
}

static void read_menus(orders_state *o, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        city *c = &o->cities[i];
        if (c->held > 0) { c->held--; continue; }
        if (in[3]) c->menu = (uint8_t)((c->menu + 1) % 4), c->held = 6;
        if (in[2]) {
            char *log_line = malloc(sizeof(order)); // the city's chronicle, printed elsewhere
            snprintf(log_line, sizeof(order), "C%u at %u: %p", i, o->tick, (void *)log_line);
            free(log_line);
            order *made = make_order(o, c->menu, (int)i);
            if (c->wood >= made->cost) {
                c->wood -= made->cost;
                enqueue(o, made);
            }
            free(made);
            c->held = 12;
        }
    }
}

static void build(orders_state *o)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < o->queued; k++) {
        order *r = &o->queue[k];
        city *c = &o->cities[r->city];
        if (--r->ticks > 0) {
            if (kept != k) memcpy(&o->queue[kept], r, sizeof *r);
            kept++;
            continue;
        }
        o->finished++;
        switch (r->kind) {
        case ORDER_HOUSE: c->people += 2; break;
        case ORDER_FARM: c->food += 20; break;
        case ORDER_WALL: c->walls++; break;
        default: c->ships++; break;
        }
        if (o->finished % 12 == 0) c->level++;
    }
    memset(&o->queue[kept], 0, (o->queued - kept) * sizeof(order));
    o->queued = kept;
}

static void grow(orders_state *o)
{
    if (o->tick % 20 != 0) return;
    for (int i = 0; i < CITIES; i++) {
        city *c = &o->cities[i];
        c->wood += 1 + c->people / 4;
        c->food += 2 - c->people / 8;
        if (c->food < 0) c->people--, c->food = 10;
    }
}

static void orders_step(void *state, const bks_step *step)
{
    orders_state *o = state;
    read_menus(o, step);
    bks_mark(step, "menus");
    build(o);
    bks_mark(step, "build");
    grow(o);
    bks_mark(step, "grow");
    o->tick++;
}

static const bks_type_entry types[] = {BKS_TYPE_ENUM(order, kind, order_kind)};
static const bks_game game = {.name = "orders", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(orders_state), .types = types, .type_count = 1, .init = orders_init, .step = orders_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
