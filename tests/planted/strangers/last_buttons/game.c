// SPDX-License-Identifier: MIT

// BRAWL: two fighters; a combo needs a fresh press of the button, not a held one.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { FIGHTERS = 2, FLOOR = 0, STAGE = 600 };
typedef enum brawl_pose { POSE_IDLE, POSE_WALK, POSE_JUMP, POSE_PUNCH, POSE_HURT } brawl_pose;

typedef struct fighter {
    int32_t x, y, vx, vy;
    int16_t hp, stun;
    uint8_t pose; // brawl_pose
    uint8_t combo, combo_left, rounds;
} fighter;

typedef struct effect {
    int32_t x, y;
    int16_t left, kind;
} effect;

typedef struct brawl_state {
    uint32_t tick;
    fighter fighters[FIGHTERS];
    bks_ref effects;
} brawl_state;

static void brawl_init(void *state, const bks_start *start)
{
    brawl_state *b = state;
    (void)start;
    if (bks_ref_set(&b->effects, bks_pool_create(bks_arena_of(state, sizeof *b), "effects", sizeof(effect), 64)) != BKS_OK) return;
    for (int i = 0; i < FIGHTERS; i++) b->fighters[i] = (fighter){.x = 200 + 200 * i, .hp = 100};
}

static bool pressed(uint32_t player, int button, int32_t now)
{
    static int32_t before[FIGHTERS][2];
    const bool fresh = now && !before[player][button];
    before[player][button] = now;
    return fresh;
}

static void hit(brawl_state *b, fighter *from, fighter *to)
{
    to->hp -= (int16_t)(3 + from->combo);
    to->stun = 12;
    to->vx = to->x > from->x ? 6 : -6;
    to->pose = POSE_HURT;
    effect *e;
    if (bks_pool_add(bks_ref_get(&b->effects), (void **)&e)) *e = (effect){to->x, to->y + 40, 20, from->combo};
}

static void act(brawl_state *b, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        fighter *f = &b->fighters[i], *foe = &b->fighters[!i];
        const bool punch = pressed(i, 0, in[2]), jump = pressed(i, 1, in[3]);
        if (f->stun > 0) { f->stun--; continue; }
        f->vx = in[0] / 12;
        f->pose = f->vx != 0 ? POSE_WALK : POSE_IDLE;
        if (jump && f->y == FLOOR) f->vy = 14, f->pose = POSE_JUMP;
        if (f->combo_left > 0) f->combo_left--; else f->combo = 0;
        if (punch) {
            f->pose = POSE_PUNCH;
            if (f->combo < 9) f->combo++;
            f->combo_left = 30;
            if (abs(foe->x - f->x) < 60 && abs(foe->y - f->y) < 50) hit(b, f, foe);
        }
    }
}

static void fall(brawl_state *b)
{
    for (int i = 0; i < FIGHTERS; i++) {
        fighter *f = &b->fighters[i];
        f->x = (f->x + f->vx + STAGE) % STAGE;
        f->y += f->vy;
        if (f->y <= FLOOR) f->y = FLOOR, f->vy = 0; else f->vy--;
        if (f->hp <= 0) {
            b->fighters[!i].rounds++;
            f->hp = 100;
            f->x = 200 + 200 * i;
        }
    }
}

static void fade(brawl_state *b)
{
    uint32_t cursor = 0;
    bks_id id;
    bks_pool *pool = bks_ref_get(&b->effects);
    for (effect *e; (e = bks_pool_next(pool, &cursor, &id)) != NULL;)
        if (--e->left <= 0) bks_pool_remove(pool, id);
}

static void brawl_step(void *state, const bks_step *step)
{
    brawl_state *b = state;
    act(b, step);
    bks_mark(step, "act");
    fall(b);
    bks_mark(step, "fall");
    fade(b);
    bks_mark(step, "effects");
    b->tick++;
}

static const bks_type_entry types[] = {BKS_TYPE_POOL("effects", effect), BKS_TYPE_ENUM(fighter, pose, brawl_pose)};
static const bks_game game = {.name = "brawl", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = 8192, .root_bytes = sizeof(brawl_state), .types = types, .type_count = 2,
    .init = brawl_init, .step = brawl_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
