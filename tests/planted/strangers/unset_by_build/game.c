// SPDX-License-Identifier: MIT

// Balloon race: a gust is drawn only sometimes, but always added: uninitialised; the two machines have builds of other -O.
#include <backstitch/backstitch.h>
#include <stdlib.h>
enum { BALLOONS = 8 };
typedef struct balloon { int32_t x, y, vx, vy, gas, ballast; } balloon;
typedef struct race_state { balloon balloons[BALLOONS]; bks_random random; int32_t winner, storms, finish[2]; } race_state;
static void race_init(void *state, const bks_start *start)
{
    race_state *r = state;
    bks_random_seed(&r->random, start->seed, 120);
    for (int i = 0; i < BALLOONS; i++) {
        r->balloons[i] = (balloon){.y = 100 + 40 * i, .gas = 100, .ballast = 20};
    }
}
static __attribute__((noinline)) int32_t turbulence(race_state *r, int n)
{
    volatile int32_t layers[12];
    int32_t sum = 0;
    for (int i = 0; i < 12; i++) {
        layers[i] = (int32_t)((uint32_t)(n + 1) * 2654435u >> (i + 3)) + r->balloons[n].y;
        sum += layers[i] & 3;
    }
    return sum;
}
static __attribute__((noinline)) int32_t gust(race_state *r, int n, uint64_t tick)
{
    int32_t strength[6]; // by height
    if (tick % 16 == 0) {
        for (int i = 0; i < 6; i++) {
            strength[i] = bks_random_between(&r->random, 0, 5);
        }
        r->storms++;
    }
    volatile int at = n % 6;
    return (tick >= 64 ? strength[at] : 0) % 7;
}
static void fly(race_state *r, const bks_step *step)
{
    for (int i = 0; i < BALLOONS; i++) {
        balloon *b = &r->balloons[i];
        if ((uint32_t)i < step->players) {
            const int32_t *in = bks_step_input(step, (uint32_t)i);
            if (in[0] && b->gas > 0) {
                b->gas--;
                b->vy += 2;
            } else if (in[1] && b->ballast > 0) {
                b->ballast--;
                b->vy -= 2;
            }
        }
        b->vx = b->vx * 7 / 8 + turbulence(r, i) / 4;
        b->vx += gust(r, i, step->tick);
        b->x += b->vx;
        b->y += b->vy / 4;
    }
}
static void finish(race_state *r)
{
    for (int i = 0; i < BALLOONS; i++) {
        if (r->balloons[i].x > 20000) {
            r->finish[i % 2]++;
            r->balloons[i].x = 0;
            r->winner = i;
        }
    }
}
static void race_step(void *state, const bks_step *step)
{
    race_state *r = state;
    fly(r, step);
    bks_mark(step, "fly");
    finish(r);
    bks_mark(step, "finish");
}
static const bks_field fields[] = {{.name = "heat", .bits = 1}, {.name = "drop", .bits = 1}};
static const bks_game game = {.name = "race", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 2,
    .state_bytes = sizeof(race_state), .init = race_init, .step = race_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
