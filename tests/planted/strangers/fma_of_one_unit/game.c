// SPDX-License-Identifier: MIT

// Bumper cars: four cars, two of them steered by players, coins on the floor. Physics is a vendored library.
#include <backstitch/backstitch.h>
#include "phys.h"
enum { CARS = 4, COINS = 24 };
typedef struct car { body b; int32_t coins, bumps, boost; } car;
typedef struct coin { int16_t x, y; uint8_t taken, value; } coin;
typedef struct bumper_state {
    car cars[CARS];
    coin coins[COINS];
    bks_random random;
    int32_t left, round, time;
} bumper_state;
typedef struct bumper_input { int32_t x, y, boost; } bumper_input;
static void scatter(bumper_state *s)
{
    for (int i = 0; i < COINS; i++) {
        s->coins[i] = (coin){.x = (int16_t)bks_random_below(&s->random, 640), .y = (int16_t)bks_random_below(&s->random, 400),
                             .value = (uint8_t)(1 + bks_random_below(&s->random, 5))};
    }
    s->left = COINS;
}
static void bumper_init(void *state, const bks_start *start)
{
    bumper_state *s = state;
    bks_random_seed(&s->random, start->seed, 3);
    for (int i = 0; i < CARS; i++) {
        s->cars[i].b = (body){.x = 100.0f + 140 * (float)i, .y = 200, .mass = 1};
    }
    scatter(s);
}
static void drive(bumper_state *s, const bks_step *step)
{
    for (uint32_t i = 0; i < CARS; i++) {
        car *c = &s->cars[i];
        float ax, ay;
        if (i < step->players) {
            const bumper_input *in = bks_step_input(step, i);
            float k = in->boost && c->boost > 0 ? 0.09f : 0.04f;
            if (in->boost && c->boost > 0) {
                c->boost--;
            }
            ax = (float)in->x * k;
            ay = (float)in->y * k;
        } else { // chase the nearest player's car
            const body *p = &s->cars[i % step->players].b;
            ax = p->x > c->b.x ? 0.2f : -0.2f;
            ay = p->y > c->b.y ? 0.2f : -0.2f;
        }
        phys_integrate(&c->b, ax, ay);
        phys_walls(&c->b, 640, 400);
    }
}
static void bump(bumper_state *s)
{
    for (int i = 0; i < CARS; i++) {
        for (int j = i + 1; j < CARS; j++) {
            if (phys_collide(&s->cars[i].b, &s->cars[j].b, 14)) {
                s->cars[i].bumps++;
                s->cars[j].bumps++;
            }
        }
    }
}
static void collect(bumper_state *s)
{
    for (int i = 0; i < COINS; i++) {
        coin *k = &s->coins[i];
        for (int c = 0; c < CARS && !k->taken; c++) {
            float dx = s->cars[c].b.x - k->x, dy = s->cars[c].b.y - k->y;
            if (dx < 12 && dx > -12 && dy < 12 && dy > -12) {
                k->taken = 1;
                s->cars[c].coins += k->value;
                s->cars[c].boost += 20;
                s->left--;
            }
        }
    }
    if (s->left == 0) {
        s->round++;
        scatter(s);
    }
}
static void bumper_step(void *state, const bks_step *step)
{
    bumper_state *s = state;
    s->time++;
    drive(s, step);
    bks_mark(step, "drive");
    bump(s);
    bks_mark(step, "bump");
    collect(s);
    bks_mark(step, "coins");
}
static const bks_field fields[] = {{.name = "x", .bits = 4, .is_signed = true}, {.name = "y", .bits = 4, .is_signed = true}, {.name = "boost", .bits = 1}};
static const bks_game game = {.name = "bumper", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .state_bytes = sizeof(bumper_state), .init = bumper_init, .step = bumper_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
