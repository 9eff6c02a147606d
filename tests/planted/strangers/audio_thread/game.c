// SPDX-License-Identifier: MIT

// Rally: cars on a track with an engine sound, which an audio thread mixes from the cars it was given.
#include <backstitch/backstitch.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
enum { CARS = 6, GATES = 12 };
typedef struct car { int32_t x, y, vx, vy, rpm, gear; int16_t gate, lap; int32_t damage; } car;
typedef struct gate { int16_t x, y; } gate;
typedef struct rally_state { car cars[CARS]; gate gates[GATES]; bks_random random; int32_t fuel[2], leader, crashes; } rally_state;

static struct { pthread_t thread; int started; car *volatile listener; int32_t mixed[256]; } audio;
static void *audio_loop(void *unused)
{
    (void)unused;
    unsigned at = 0;
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = 21000000}, NULL); // one buffer
        car *c = audio.listener;
        if (c != NULL) {
            int32_t rpm = c->rpm;
            audio.mixed[at % 256] = rpm * (int32_t)(at % 64) / 64;
            if (++at % 150 == 0) {
                c->rpm = rpm - rpm / 16; // smoothed for the mixer: meant for its own copy
            }
        }
    }
    return NULL;
}
static void audio_start(car *listener)
{
    audio.listener = listener;
    if (!audio.started) {
        audio.started = 1;
        pthread_create(&audio.thread, NULL, audio_loop, NULL);
    }
}
static void rally_init(void *state, const bks_start *start)
{
    rally_state *r = state;
    bks_random_seed(&r->random, start->seed, 80);
    for (int i = 0; i < GATES; i++) {
        r->gates[i] = (gate){(int16_t)bks_random_below(&r->random, 2000), (int16_t)bks_random_below(&r->random, 2000)};
    }
    for (int i = 0; i < CARS; i++) {
        r->cars[i] = (car){.x = 1000 + 30 * i, .y = 1000, .rpm = 900, .gear = 1};
    }
    r->fuel[0] = r->fuel[1] = 20000;
}
static void engine(rally_state *r, const bks_step *step)
{
    for (int i = 0; i < CARS; i++) {
        car *c = &r->cars[i];
        int gas = 1;
        if ((uint32_t)i < step->players) {
            gas = ((const int32_t *)bks_step_input(step, (uint32_t)i))[2] && r->fuel[i] > 0;
            r->fuel[i] -= gas;
        }
        c->rpm += gas ? 40 : -25;
        if (c->rpm > 6500 && c->gear < 5) {
            c->gear++;
            c->rpm = 3000;
        } else if (c->rpm < 1200 && c->gear > 1) {
            c->gear--;
            c->rpm = 4000;
        }
        c->rpm = c->rpm < 900 ? 900 : c->rpm > 7000 ? 7000 : c->rpm;
    }
}
static void steer(rally_state *r, const bks_step *step)
{
    for (int i = 0; i < CARS; i++) {
        car *c = &r->cars[i];
        const gate *g = &r->gates[c->gate];
        int dx = g->x > c->x ? 1 : -1, dy = g->y > c->y ? 1 : -1;
        if ((uint32_t)i < step->players) {
            const int32_t *in = bks_step_input(step, (uint32_t)i);
            dx = in[0];
            dy = in[1];
        }
        int v = c->gear * 2 + c->rpm / 2000;
        c->vx = (c->vx * 7 + dx * v) / 8;
        c->vy = (c->vy * 7 + dy * v) / 8;
        c->x += c->vx;
        c->y += c->vy;
        if (abs(g->x - c->x) < 60 && abs(g->y - c->y) < 60 && ++c->gate == GATES) {
            c->gate = 0;
            c->lap++;
        }
    }
}
static void crash(rally_state *r)
{
    for (int i = 0; i < CARS; i++) {
        for (int k = i + 1; k < CARS; k++) {
            car *a = &r->cars[i], *b = &r->cars[k];
            if (abs(a->x - b->x) < 10 && abs(a->y - b->y) < 10) {
                a->damage++;
                b->damage++;
                r->crashes++;
            }
        }
    }
}
static void rally_step(void *state, const bks_step *step)
{
    rally_state *r = state;
    audio_start(&r->cars[0]);
    engine(r, step);
    bks_mark(step, "engine");
    steer(r, step);
    bks_mark(step, "steer");
    crash(r);
    bks_mark(step, "crash");
}
static const bks_field fields[] = {{.name = "x", .bits = 2, .is_signed = true}, {.name = "y", .bits = 2, .is_signed = true}, {.name = "gas", .bits = 1}};
static const bks_game game = {.name = "rally", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .state_bytes = sizeof(rally_state), .init = rally_init, .step = rally_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
