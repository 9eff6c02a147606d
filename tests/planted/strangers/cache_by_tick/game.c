// SPDX-License-Identifier: MIT

// PANIC: two shepherds drive sheep; sheep flee along a fear map that is worked out once a tick and shared.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { W = 40, H = 24, CELL = 16, SHEEP = 30, DOGS = 2 };

typedef struct dog {
    int32_t x, y;
    int16_t bark, breath;
    int32_t penned;
} dog;

typedef struct sheep {
    int32_t x, y;
    int16_t fear, graze;
    uint8_t penned_by;
} sheep;

typedef struct panic_state {
    uint32_t tick;
    dog dogs[DOGS];
    sheep flock[SHEEP];
    bks_random random;
} panic_state;

typedef struct fear_map {
    uint32_t tick;
    uint8_t valid;
    int16_t fear[H][W];
} fear_map;

static fear_map maps[8]; // the newest few: the AI of later versions looks back

static int32_t clamp(int32_t v, int32_t lo, int32_t hi) { return v < lo ? lo : v > hi ? hi : v; }

static const fear_map *fear_of_tick(const panic_state *p)
{
    fear_map *m = &maps[p->tick % 8];
    if (m->valid && m->tick == p->tick) return m; // already there
    m->valid = 1;
    m->tick = p->tick;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int32_t sum = 0;
            for (int k = 0; k < DOGS; k++) {
                const dog *d = &p->dogs[k];
                const int32_t far = abs(d->x - x * CELL) + abs(d->y - y * CELL);
                sum += clamp((d->bark > 0 ? 260 : 130) - far, 0, 260);
            }
            m->fear[y][x] = (int16_t)sum;
        }
    return m;
}

static void panic_init(void *state, const bks_start *start)
{
    panic_state *p = state;
    bks_random_seed(&p->random, start->seed, 2);
    for (int i = 0; i < DOGS; i++) p->dogs[i] = (dog){.x = 150 + 300 * i, .y = 180, .breath = 100};
    for (int i = 0; i < SHEEP; i++)
        p->flock[i] = (sheep){.x = bks_random_between(&p->random, 0, W * CELL - 1), .y = bks_random_between(&p->random, 0, H * CELL - 1)};
}

static void run_dogs(panic_state *p, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        dog *d = &p->dogs[i];
        d->x = clamp(d->x + in[0] / 8, 0, W * CELL - 1);
        d->y = clamp(d->y + in[1] / 8, 0, H * CELL - 1);
        if (in[2] && d->breath > 10) d->bark = 10, d->breath -= 2;
        else if (d->bark > 0) d->bark--;
        else d->breath = (int16_t)clamp(d->breath + 1, 0, 100);
    }
}

static void flee(panic_state *p)
{
    const fear_map *m = fear_of_tick(p);
    for (int i = 0; i < SHEEP; i++) {
        sheep *s = &p->flock[i];
        const int cx = s->x / CELL, cy = s->y / CELL;
        const int32_t here = m->fear[cy][cx];
        s->fear = (int16_t)((s->fear * 3 + here) / 4);
        if (s->fear < 20) { s->graze++; continue; }
        const int32_t left = cx > 0 ? m->fear[cy][cx - 1] : 999, right = cx < W - 1 ? m->fear[cy][cx + 1] : 999;
        const int32_t up = cy > 0 ? m->fear[cy - 1][cx] : 999, down = cy < H - 1 ? m->fear[cy + 1][cx] : 999;
        s->x = clamp(s->x + (left < right ? -2 : left > right ? 2 : 0), 0, W * CELL - 1);
        s->y = clamp(s->y + (up < down ? -2 : up > down ? 2 : 0), 0, H * CELL - 1);
    }
}

static void pen(panic_state *p)
{
    for (int i = 0; i < SHEEP; i++) {
        sheep *s = &p->flock[i];
        for (int k = 0; k < DOGS; k++)
            if (s->x / CELL == k * (W - 1) && s->y / CELL < H / 2 && s->penned_by == 0) {
                s->penned_by = (uint8_t)(k + 1);
                p->dogs[k].penned++;
                s->x = W * CELL / 2;
            }
        if (s->penned_by && p->tick % 600 == 599) s->penned_by = 0;
    }
}

static void panic_step(void *state, const bks_step *step)
{
    panic_state *p = state;
    run_dogs(p, step);
    bks_mark(step, "dogs");
    flee(p);
    bks_mark(step, "flee");
    pen(p);
    bks_mark(step, "pen");
    p->tick++;
}

static const bks_game game = {.name = "panic", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(panic_state), .init = panic_init, .step = panic_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
