// SPDX-License-Identifier: MIT

// Tower defence for two, with a balance mod linked in. Creeps and towers are pools in the arena.
#include <backstitch/backstitch.h>
#include "mod.h"
typedef struct creep { int32_t x, y, hp, kind, slowed, worth; } creep;
typedef struct tower { int32_t x, y, kind, owner, reload, kills; bks_id aim; } tower;
typedef struct towers_state {
    bks_ref creeps, towers;
    int32_t gold[2], lives, wave, until_wave, spawned;
    bks_random random;
} towers_state;
static const bks_type_entry types[] = {BKS_TYPE_ROOT(towers_state), BKS_TYPE_POOL("creeps", creep), BKS_TYPE_POOL("towers", tower),
                                       BKS_TYPE_ID(tower, aim, "creeps")};
static void towers_init(void *state, const bks_start *start)
{
    towers_state *t = state;
    bks_arena *arena = bks_arena_of(state, sizeof(*t));
    bks_ref_set(&t->creeps, bks_pool_create(arena, "creeps", sizeof(creep), 128));
    bks_ref_set(&t->towers, bks_pool_create(arena, "towers", sizeof(tower), 64));
    bks_random_seed(&t->random, start->seed, 5);
    t->gold[0] = t->gold[1] = 300;
    t->lives = 50;
}
static void spawn(towers_state *t)
{
    if (t->until_wave-- > 0) {
        return;
    }
    if (t->spawned++ > 10 + t->wave) {
        t->wave++;
        t->spawned = 0;
        t->until_wave = 120;
        return;
    }
    t->until_wave = 8;
    creep *c;
    if (bks_pool_add(bks_ref_get(&t->creeps), (void **)&c)) {
        c->kind = (int32_t)bks_random_below(&t->random, 3);
        c->hp = 30 + 6 * t->wave;
        c->y = bks_random_between(&t->random, 100, 200);
        c->worth = 4 + c->kind;
    }
}
static void build(towers_state *t, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p); // x, y, kind, build
        const tower_stats *stats = &mod_towers[in[2] & 3];
        tower *w;
        if (in[3] && t->gold[p] >= stats->cost && step->tick % 16 == 0 && bks_pool_add(bks_ref_get(&t->towers), (void **)&w)) {
            *w = (tower){.x = in[0] * 8, .y = 80 + in[1] * 8, .kind = in[2] & 3, .owner = (int32_t)p};
            t->gold[p] -= stats->cost;
        }
    }
}
static void shoot(towers_state *t)
{
    bks_pool *creeps = bks_ref_get(&t->creeps);
    uint32_t cursor = 0;
    for (tower *w; (w = bks_pool_next(bks_ref_get(&t->towers), &cursor, NULL)) != NULL;) {
        const tower_stats *stats = &mod_towers[w->kind];
        if (w->reload > 0) {
            w->reload--;
            continue;
        }
        uint32_t at = 0;
        bks_id id;
        for (creep *c; (c = bks_pool_next(creeps, &at, &id)) != NULL;) {
            int dx = c->x - w->x, dy = c->y - w->y;
            if (dx * dx + dy * dy > stats->range * stats->range) {
                continue;
            }
            int damage = stats->damage - mod_armour(c->kind, t->wave);
            c->hp -= damage > 1 ? damage : 1;
            c->slowed = w->kind == 2 ? 30 : c->slowed;
            w->aim = id;
            w->reload = stats->reload;
            if (c->hp <= 0) {
                t->gold[w->owner] += c->worth;
                w->kills++;
                bks_pool_remove(creeps, id);
            }
            break;
        }
    }
}
static void walk(towers_state *t)
{
    uint32_t cursor = 0;
    bks_id id;
    for (creep *c; (c = bks_pool_next(bks_ref_get(&t->creeps), &cursor, &id)) != NULL;) {
        c->x += c->slowed > 0 ? 1 : 2;
        c->slowed -= c->slowed > 0;
        if (c->x > 600) {
            t->lives--;
            bks_pool_remove(bks_ref_get(&t->creeps), id);
        }
    }
}
static void towers_step(void *state, const bks_step *step)
{
    towers_state *t = state;
    spawn(t);
    bks_mark(step, "spawn");
    build(t, step);
    bks_mark(step, "build");
    shoot(t);
    bks_mark(step, "shoot");
    walk(t);
    bks_mark(step, "walk");
}
static const bks_field fields[] = {{.name = "x", .bits = 6}, {.name = "y", .bits = 4}, {.name = "kind", .bits = 2}, {.name = "build", .bits = 1}};
static const bks_game game = {.name = "towers", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 4,
    .state_bytes = 32768, .root_bytes = sizeof(towers_state), .types = types, .type_count = 4, .init = towers_init, .step = towers_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
