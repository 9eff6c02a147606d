// SPDX-License-Identifier: MIT

// SKEET: clay discs fly over a range. Aim follows the stick by "smooth damping", as seen in an engine's tutorial.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include "../tail.h"

enum { SHOOTERS = 2, DISC_MAX = 32 };

typedef struct shooter {
    float aim_x, aim_y, aim_vx, aim_vy;
    int32_t hits, shots, streak;
    int16_t reload;
} shooter;

typedef struct disc {
    float x, y, vx, vy;
    uint16_t age;
    uint8_t colour;
} disc;

typedef struct skeet_state {
    uint32_t tick, thrown;
    shooter shooters[SHOOTERS];
    bks_random random;
    bks_ref discs; // pool
} skeet_state;

static void skeet_init(void *state, const bks_start *start)
{
    skeet_state *s = state;
    bks_random_seed(&s->random, start->seed, 3);
    bks_arena *arena = bks_arena_of(state, sizeof *s);
    if (bks_ref_set(&s->discs, bks_pool_create(arena, "discs", sizeof(disc), DISC_MAX)) != BKS_OK) return;
    for (int i = 0; i < SHOOTERS; i++) s->shooters[i].aim_x = 100.0f + 200.0f * (float)i;
}

// Seconds since the last frame, at most a thirtieth: the tutorial's Time.deltaTime.
static float delta_time(void)
{
    static double last;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double now = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    double dt = now - last;
    last = now;
    return dt > 1.0 / 30 ? 1.0f / 30 : (float)dt;
}

static void throw_discs(skeet_state *s)
{
    if (s->tick % 45 != 0) return;
    disc *d;
    if (bks_pool_add(bks_ref_get(&s->discs), (void **)&d) == 0) return;
    d->x = (float)bks_random_between(&s->random, 0, 400);
    d->vx = (float)bks_random_between(&s->random, -20, 20) / 10.0f;
    d->vy = (float)bks_random_between(&s->random, 30, 50) / 10.0f;
    d->colour = (uint8_t)bks_random_below(&s->random, 4);
    s->thrown++;
}

static void move_discs(skeet_state *s)
{
    uint32_t cursor = 0;
    bks_id id;
    bks_pool *pool = bks_ref_get(&s->discs);
    for (disc *d; (d = bks_pool_next(pool, &cursor, &id)) != NULL;) {
        d->x += d->vx;
        d->y += d->vy;
        d->vy -= 0.08f;
        if (++d->age > 150 || d->y < 0) bks_pool_remove(pool, id);
    }
}

static void fire(skeet_state *s, shooter *p)
{
    uint32_t cursor = 0;
    bks_id id;
    bks_pool *pool = bks_ref_get(&s->discs);
    p->shots++;
    p->reload = 15;
    for (disc *d; (d = bks_pool_next(pool, &cursor, &id)) != NULL;)
        if (fabsf(d->x - p->aim_x) < 40 && fabsf(d->y - p->aim_y) < 60) {
            bks_pool_remove(pool, id);
            p->hits++;
            p->streak++;
            return;
        }
    p->streak = 0;
}

static void skeet_step(void *state, const bks_step *step)
{
    skeet_state *s = state;
    const float dt = delta_time();
    throw_discs(s);
    move_discs(s);
    bks_mark(step, "discs");
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        shooter *p = &s->shooters[i];
        p->aim_vx += ((float)in[0] * 8.0f - p->aim_vx) * 6.0f * dt;
        p->aim_vy += ((float)in[1] * 8.0f - p->aim_vy) * 6.0f * dt;
        p->aim_x = fminf(fmaxf(p->aim_x + p->aim_vx / 60.0f, 0), 400);
        p->aim_y = fminf(fmaxf(p->aim_y + p->aim_vy / 60.0f, 0), 200);
    }
    bks_mark(step, "aim");
    for (uint32_t i = 0; i < step->players; i++) {
        shooter *p = &s->shooters[i];
        if (p->reload > 0) p->reload--;
        else if (((const int32_t *)bks_step_input(step, i))[2]) fire(s, p);
    }
    bks_mark(step, "fire");
    s->tick++;
}

static const bks_type_entry types[] = {BKS_TYPE_POOL("discs", disc)};
static const bks_game game = {.name = "skeet", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = 8192, .root_bytes = sizeof(skeet_state), .types = types, .type_count = 1,
    .init = skeet_init, .step = skeet_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
