// SPDX-License-Identifier: MIT

// Demolition: crates explode into debris. The number of debris pieces follows the player's graphics setting.
#include <backstitch/backstitch.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct crate { int32_t x, y, hp, fuse; } crate;
typedef struct debris { int32_t x, y, vx, vy, left; } debris;
typedef struct bomber { int32_t x, y, bombs, score, cool, hurt; } bomber;
enum { CRATES = 40 };
typedef struct demo_state {
    bks_ref crates, debris;
    bomber bombers[2];
    bks_random random;
    int32_t explosions, shake;
} demo_state;
static const bks_type_entry types[] = {BKS_TYPE_ROOT(demo_state), BKS_TYPE_POOL("crates", crate), BKS_TYPE_POOL("debris", debris)};
static struct { int loaded, debris_per_crate, invert_y; } settings; // this player's options

static void load_settings(void)
{
    char line[128];
    settings.loaded = 1;
    settings.debris_per_crate = 8;
    FILE *file = fopen("settings.ini", "r");
    while (file != NULL && fgets(line, sizeof(line), file)) {
        int value;
        if (sscanf(line, "debris=%d", &value) == 1) {
            settings.debris_per_crate = value;
        } else if (sscanf(line, "invert_y=%d", &value) == 1) {
            settings.invert_y = value;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}
static void demo_init(void *state, const bks_start *start)
{
    demo_state *d = state;
    bks_arena *arena = bks_arena_of(state, sizeof(*d));
    bks_ref_set(&d->crates, bks_pool_create(arena, "crates", sizeof(crate), CRATES));
    bks_ref_set(&d->debris, bks_pool_create(arena, "debris", sizeof(debris), 512));
    bks_random_seed(&d->random, start->seed, 13);
    for (int i = 0; i < CRATES; i++) {
        crate *c;
        bks_pool_add(bks_ref_get(&d->crates), (void **)&c);
        *c = (crate){.x = (int32_t)bks_random_below(&d->random, 800), .y = (int32_t)bks_random_below(&d->random, 400), .hp = 3};
    }
    for (int i = 0; i < 2; i++) {
        d->bombers[i] = (bomber){.x = 300 + 200 * i, .y = 200, .bombs = 5};
    }
}
static void explode(demo_state *d, crate *c, bks_id id, bomber *by)
{
    for (int i = 0; i < settings.debris_per_crate; i++) {
        debris *p;
        if (bks_pool_add(bks_ref_get(&d->debris), (void **)&p)) {
            *p = (debris){.x = c->x, .y = c->y, .vx = bks_random_between(&d->random, -6, 6), .vy = bks_random_between(&d->random, -6, 6), .left = 40};
        }
    }
    by->score += 10;
    d->explosions++;
    d->shake = 12;
    bks_pool_remove(bks_ref_get(&d->crates), id);
}
static void bombers(demo_state *d, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p);
        bomber *b = &d->bombers[p];
        b->x += in[0] * 3;
        b->y += in[1] * 3;
        b->x = b->x < 0 ? 0 : b->x > 800 ? 800 : b->x;
        b->y = b->y < 0 ? 0 : b->y > 400 ? 400 : b->y;
        b->cool -= b->cool > 0;
        if (!in[2] || b->cool > 0) {
            continue;
        }
        b->cool = 12;
        uint32_t cursor = 0;
        bks_id id;
        for (crate *c; (c = bks_pool_next(bks_ref_get(&d->crates), &cursor, &id)) != NULL;) {
            if (abs(c->x - b->x) < 60 && abs(c->y - b->y) < 60 && --c->hp <= 0) {
                explode(d, c, id, b);
            }
        }
    }
}
static void fly(demo_state *d)
{
    uint32_t cursor = 0;
    bks_id id;
    for (debris *p; (p = bks_pool_next(bks_ref_get(&d->debris), &cursor, &id)) != NULL;) {
        p->x += p->vx;
        p->y += p->vy;
        for (int i = 0; i < 2; i++) {
            if (abs(p->x - d->bombers[i].x) < 8 && abs(p->y - d->bombers[i].y) < 8) {
                d->bombers[i].hurt++;
            }
        }
        if (--p->left <= 0) {
            bks_pool_remove(bks_ref_get(&d->debris), id);
        }
    }
    d->shake -= d->shake > 0;
}
static void demo_step(void *state, const bks_step *step)
{
    demo_state *d = state;
    if (!settings.loaded) {
        load_settings();
    }
    bombers(d, step);
    bks_mark(step, "bombers");
    fly(d);
    bks_mark(step, "debris");
}
static const bks_field fields[] = {{.name = "x", .bits = 3, .is_signed = true}, {.name = "y", .bits = 3, .is_signed = true}, {.name = "bomb", .bits = 1}};
static const bks_game game = {.name = "demolition", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .state_bytes = 65536, .root_bytes = sizeof(demo_state), .types = types, .type_count = 3, .init = demo_init, .step = demo_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
