// SPDX-License-Identifier: MIT

// Orbit: satellites around a planet, players boost; two faults: sines of the C library, and a static heat sensor.
#include <backstitch/backstitch.h>
#include <math.h>
#include <stdlib.h>
enum { SATS = 20 };
typedef struct sat { double angle, radius, speed, x, y; int32_t owner, fuel, lost; } sat;
typedef struct station { int32_t energy, heat, score, vented; } station;
typedef struct orbit_state { sat sats[SATS]; station stations[2]; bks_random random; int32_t collisions, solar; } orbit_state;
static int32_t heat_average; // of the last ticks

static void orbit_init(void *state, const bks_start *start)
{
    orbit_state *o = state;
    bks_random_seed(&o->random, start->seed, 90);
    for (int i = 0; i < SATS; i++) {
        o->sats[i] = (sat){.angle = i * 0.31, .radius = 100 + 9 * i, .speed = 0.01 + 0.0007 * i, .owner = i % 2, .fuel = 300};
    }
    o->stations[0].energy = o->stations[1].energy = 100;
}
static void boost(orbit_state *o, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p); // which, thrust
        sat *s = &o->sats[(in[0] & 7) * 2 + (int)p];
        if (in[1] != 0 && s->fuel > 0) {
            s->fuel--;
            s->speed += in[1] * 0.0001;
            s->radius += in[1] * 0.2;
            o->stations[p].heat += 3;
        }
    }
}
static void fly(orbit_state *o)
{
    for (int i = 0; i < SATS; i++) {
        sat *s = &o->sats[i];
        s->angle += s->speed;
        s->x = cos(s->angle) * s->radius;
        s->y = sin(s->angle) * s->radius;
    }
    for (int i = 0; i < SATS; i++) {
        for (int k = i + 1; k < SATS; k++) {
            if (fabs(o->sats[i].x - o->sats[k].x) < 2 && fabs(o->sats[i].y - o->sats[k].y) < 2) {
                o->collisions++;
                o->sats[k].lost++;
            }
        }
    }
}
static void heat(orbit_state *o, const bks_step *step)
{
    for (int p = 0; p < 2; p++) {
        station *s = &o->stations[p];
        s->heat -= s->heat > 0;
        s->energy += step->tick % 30 == 0;
    }
    heat_average += (o->stations[0].heat + o->stations[1].heat - heat_average) / 4;
    if (step->tick >= 300 && heat_average > 20) {
        o->stations[0].vented++;
        o->stations[1].vented++;
        heat_average = 0;
    }
    o->solar = (int32_t)(step->tick / 64 % 5);
}
static void orbit_step(void *state, const bks_step *step)
{
    orbit_state *o = state;
    boost(o, step);
    bks_mark(step, "boost");
    fly(o);
    bks_mark(step, "fly");
    heat(o, step);
    bks_mark(step, "heat");
}
static const bks_field fields[] = {{.name = "which", .bits = 3}, {.name = "thrust", .bits = 2, .is_signed = true}};
static const bks_game game = {.name = "orbit", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 2,
    .state_bytes = sizeof(orbit_state), .init = orbit_init, .step = orbit_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
