// SPDX-License-Identifier: MIT

// RALLY: cars with boost. The engine keeps cars as its own objects; save and load are written by hand.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { CARS = 2, GATES = 8, CONES = 20 };

typedef struct car { // the engine's object
    int32_t x, y, vx, vy;
    int16_t boost_left, boost_tank;
    uint16_t gate, lap;
    void *model; // of the renderer
} car;

typedef struct race {
    uint32_t tick;
    car *cars[CARS];
    int16_t cone_down[CONES];
} race;

typedef struct rally_car { // as it is saved
    int32_t x, y, vx, vy;
    int16_t boost_tank;
    uint16_t gate, lap;
} rally_car;

typedef struct rally_state {
    uint32_t tick;
    rally_car cars[CARS];
    int16_t cone_down[CONES];
} rally_state;

static const int gates[GATES][2] = {{100, 100}, {400, 80}, {700, 120}, {760, 300}, {700, 500}, {400, 560}, {100, 500}, {60, 300}};

static void *rally_create(const bks_start *start)
{
    (void)start;
    race *r = calloc(1, sizeof *r);
    for (int i = 0; i < CARS; i++) {
        r->cars[i] = calloc(1, sizeof(car));
        r->cars[i]->model = malloc(64);
    }
    return r;
}

static void rally_destroy(void *state)
{
    race *r = state;
    for (int i = 0; i < CARS; i++) {
        free(r->cars[i]->model);
        free(r->cars[i]);
    }
    free(r);
}

static void rally_init(void *state, const bks_start *start)
{
    race *r = state;
    (void)start;
    for (int i = 0; i < CARS; i++) {
        r->cars[i]->x = 100;
        r->cars[i]->y = 200 + 100 * i;
        r->cars[i]->boost_tank = 80;
    }
}

static void pack(const race *r, rally_state *out)
{
    memset(out, 0, sizeof *out);
    out->tick = r->tick;
    for (int i = 0; i < CARS; i++) {
        const car *c = r->cars[i];
        out->cars[i].x = c->x;
        out->cars[i].y = c->y;
        out->cars[i].vx = c->vx;
        out->cars[i].vy = c->vy;
        out->cars[i].boost_tank = c->boost_tank;
        out->cars[i].gate = c->gate;
        out->cars[i].lap = c->lap;
    }
    memcpy(out->cone_down, r->cone_down, sizeof out->cone_down);
}

static size_t rally_save(const void *state, void *bytes, size_t capacity)
{
    if (capacity < sizeof(rally_state)) return 0;
    pack(state, bytes);
    return sizeof(rally_state);
}

static bool rally_load(void *state, const void *bytes, size_t count)
{
    race *r = state;
    const rally_state *in = bytes;
    if (count != sizeof *in) return false;
    r->tick = in->tick;
    for (int i = 0; i < CARS; i++) {
        car *c = r->cars[i];
        c->x = in->cars[i].x;
        c->y = in->cars[i].y;
        c->vx = in->cars[i].vx;
        c->vy = in->cars[i].vy;
        c->boost_tank = in->cars[i].boost_tank;
        c->gate = in->cars[i].gate;
        c->lap = in->cars[i].lap;
    }
    memcpy(r->cone_down, in->cone_down, sizeof r->cone_down);
    return true;
}

static void rally_hash(const void *state, bks_hasher *hasher)
{
    rally_state packed;
    pack(state, &packed);
    bks_hash_add(hasher, &packed, sizeof packed);
}

static void drive(race *r, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        car *c = r->cars[i];
        if (in[2] && c->boost_left == 0 && c->boost_tank >= 20) {
            c->boost_left = 25;
            c->boost_tank -= 20;
        }
        const int32_t push = c->boost_left > 0 ? 3 : 2;
        if (c->boost_left > 0) c->boost_left--;
        c->vx = (c->vx * 30 + in[0] * push) / 31;
        c->vy = (c->vy * 30 + in[1] * push) / 31;
        if (r->tick % 20 == 0 && c->boost_tank < 100) c->boost_tank++;
    }
}

static void roll(race *r)
{
    for (int i = 0; i < CARS; i++) {
        car *c = r->cars[i];
        c->x = (c->x + c->vx / 8 + 800) % 800;
        c->y = (c->y + c->vy / 8 + 600) % 600;
        for (int k = 0; k < CONES; k++)
            if (abs(c->x - 40 * k) < 10 && abs(c->y - (k * 137 % 600)) < 10 && r->cone_down[k] == 0) r->cone_down[k] = 120, c->vx /= 2;
        if (abs(c->x - gates[c->gate][0]) < 60 && abs(c->y - gates[c->gate][1]) < 60) {
            c->gate = (uint16_t)((c->gate + 1) % GATES);
            if (c->gate == 0) c->lap++;
        }
    }
    for (int k = 0; k < CONES; k++)
        if (r->cone_down[k] > 0) r->cone_down[k]--;
}

static void rally_step(void *state, const bks_step *step)
{
    race *r = state;
    drive(r, step);
    bks_mark(step, "drive");
    roll(r);
    bks_mark(step, "roll");
    r->tick++;
}

static const bks_game game = {.name = "rally", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .create = rally_create, .destroy = rally_destroy, .save_bytes_max = sizeof(rally_state),
    .save = rally_save, .load = rally_load, .hash = rally_hash, .init = rally_init, .step = rally_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
