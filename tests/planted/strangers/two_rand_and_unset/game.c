// SPDX-License-Identifier: MIT

// QUARRY (two faults): rand() for rock falls, and an unset field of a hit record.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { DIGGERS = 2, ROCKS = 24, PIT = 480 };

typedef struct digger {
    int32_t x, y, ore, hp;
    int16_t swing, dizzy;
} digger;

typedef struct rock {
    int32_t x, y, size, vy;
    uint8_t kind, rolling;
} rock;

typedef struct quarry_state {
    uint32_t tick, falls;
    digger diggers[DIGGERS];
    rock rocks[ROCKS];
    bks_random random;
} quarry_state;

typedef struct strike {
    int rock;
    int32_t power, angle;
} strike;

static void quarry_init(void *state, const bks_start *start)
{
    quarry_state *q = state;
    bks_random_seed(&q->random, start->seed, 6);
    for (int i = 0; i < DIGGERS; i++) q->diggers[i] = (digger){.x = 160 + 160 * i, .y = 400, .hp = 50};
    for (int i = 0; i < ROCKS; i++)
        q->rocks[i] = (rock){.x = bks_random_between(&q->random, 0, PIT), .y = bks_random_between(&q->random, 100, 380), .size = 30, .kind = (uint8_t)(i % 3)};
}

static void move(quarry_state *q, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        digger *d = &q->diggers[i];
        if (d->dizzy > 0) { d->dizzy--; continue; }
        d->x = (d->x + in[0] / 8 + PIT) % PIT;
        d->y = (d->y + in[1] / 8 + PIT) % PIT;
        if (d->swing > 0) d->swing--;
    }
}

__attribute__((noinline)) static bool find_strike(const quarry_state *q, const digger *d, strike *out)
{
    for (int k = 0; k < ROCKS; k++) {
        const rock *r = &q->rocks[k];
        if (r->size <= 0 || abs(r->x - d->x) > 30 || abs(r->y - d->y) > 30) continue;
        out->rock = k;
        out->power = 6 + r->kind;
        if (r->rolling) out->angle = r->vy; // a rock at rest has no angle
        return true;
    }
    return false;
}

static void dig(quarry_state *q, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        digger *d = &q->diggers[i];
        strike s;
        if (!((const int32_t *)bks_step_input(step, i))[2] || d->swing > 0 || !find_strike(q, d, &s)) continue;
        rock *r = &q->rocks[s.rock];
        r->size -= s.power;
        d->ore += s.power;
        d->swing = 12;
        if (s.angle & 4) d->dizzy = 10;
        if (r->size <= 0) d->ore += 10;
    }
}

static void fall(quarry_state *q)
{
    if (q->tick % 50 == 49) {
        rock *r = &q->rocks[rand() % ROCKS];
        r->rolling = 1;
        r->vy = 1;
        q->falls++;
    }
    for (int k = 0; k < ROCKS; k++) {
        rock *r = &q->rocks[k];
        if (!r->rolling) continue;
        r->y += r->vy++ / 4;
        if (r->y > PIT) *r = (rock){.x = bks_random_between(&q->random, 0, PIT), .y = 100, .size = 30, .kind = r->kind};
        for (int i = 0; i < DIGGERS; i++)
            if (abs(r->x - q->diggers[i].x) < 16 && abs(r->y - q->diggers[i].y) < 16) q->diggers[i].hp--;
    }
}

static void quarry_step(void *state, const bks_step *step)
{
    quarry_state *q = state;
    move(q, step);
    bks_mark(step, "move");
    dig(q, step);
    bks_mark(step, "dig");
    fall(q);
    bks_mark(step, "fall");
    q->tick++;
}

static const bks_game game = {.name = "quarry", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(quarry_state), .init = quarry_init, .step = quarry_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
