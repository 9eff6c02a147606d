// SPDX-License-Identifier: MIT

// Sailing race. The engine saves its world as text, as its editor does, one line for each thing.
#include <backstitch/backstitch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { BOATS = 4, BUOYS = 8 };
typedef struct boat { float x, y, speed, heading; int lap, next, wind_shadow; } boat;
typedef struct buoy { float x, y; int touched; } buoy;
typedef struct regatta_state { boat boats[BOATS]; buoy buoys[BUOYS]; float wind, wind_turn; int tick, finished; bks_random random; } regatta_state;

static void *regatta_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(regatta_state));
}
static void regatta_destroy(void *state) { free(state); }
static void regatta_init(void *state, const bks_start *start)
{
    regatta_state *r = state;
    memset(r, 0, sizeof(*r));
    bks_random_seed(&r->random, start->seed, 20);
    for (int i = 0; i < BOATS; i++) {
        r->boats[i] = (boat){.x = 50 + 20 * (float)i, .y = 50, .heading = 1};
    }
    for (int i = 0; i < BUOYS; i++) {
        r->buoys[i] = (buoy){.x = (float)bks_random_below(&r->random, 500), .y = (float)bks_random_below(&r->random, 500)};
    }
    r->wind = 3;
}
static void weather(regatta_state *r)
{
    r->wind_turn = r->wind_turn * 0.97f + (float)bks_random_between(&r->random, -100, 100) * 0.00013f;
    r->wind += r->wind_turn;
    r->wind = r->wind < 1 ? 1 : r->wind > 6 ? 6 : r->wind;
}
static void sail(regatta_state *r, const bks_step *step)
{
    for (int i = 0; i < BOATS; i++) {
        boat *b = &r->boats[i];
        int rudder = (i * 7 + r->tick / 30) % 3 - 1, trim = 1;
        if ((uint32_t)i < step->players) {
            const int32_t *in = bks_step_input(step, (uint32_t)i);
            rudder = in[0];
            trim = in[1];
        }
        b->heading += (float)rudder * 0.017f;
        b->speed = b->speed * 0.96f + r->wind * (trim ? 0.05f : 0.02f) / (1 + 0.3f * (float)b->wind_shadow);
        b->x += b->speed * bks_cosf(b->heading);
        b->y += b->speed * bks_sinf(b->heading);
        b->x = b->x < 0 ? 0 : b->x > 500 ? 500 : b->x;
        b->y = b->y < 0 ? 0 : b->y > 500 ? 500 : b->y;
    }
}
static void rules(regatta_state *r)
{
    for (int i = 0; i < BOATS; i++) {
        boat *b = &r->boats[i];
        b->wind_shadow = 0;
        for (int k = 0; k < BOATS; k++) {
            float dx = r->boats[k].x - b->x, dy = r->boats[k].y - b->y;
            b->wind_shadow += k != i && dx * dx + dy * dy < 400;
        }
        buoy *u = &r->buoys[b->next];
        float dx = u->x - b->x, dy = u->y - b->y;
        if (dx * dx + dy * dy < 1600) {
            u->touched++;
            if (++b->next == BUOYS) {
                b->next = 0;
                b->lap++;
            }
        }
    }
}
static void regatta_step(void *state, const bks_step *step)
{
    regatta_state *r = state;
    r->tick++;
    weather(r);
    bks_mark(step, "weather");
    sail(r, step);
    bks_mark(step, "sail");
    rules(r);
    bks_mark(step, "rules");
}
static size_t regatta_save(const void *state, void *bytes, size_t capacity)
{
    const regatta_state *r = state;
    char *at = bytes;
    int n = snprintf(at, capacity, "regatta %d %d %f %f %llu %llu\n", r->tick, r->finished, r->wind, r->wind_turn,
                     (unsigned long long)r->random.state, (unsigned long long)r->random.increment);
    for (int i = 0; i < BOATS; i++) {
        const boat *b = &r->boats[i];
        n += snprintf(at + n, capacity - (size_t)n, "boat %f %f %f %f %d %d %d\n", b->x, b->y, b->speed, b->heading, b->lap, b->next, b->wind_shadow);
    }
    for (int i = 0; i < BUOYS; i++) {
        n += snprintf(at + n, capacity - (size_t)n, "buoy %f %f %d\n", r->buoys[i].x, r->buoys[i].y, r->buoys[i].touched);
    }
    return (size_t)n;
}
static bool regatta_load(void *state, const void *bytes, size_t count)
{
    regatta_state *r = state;
    char text[4096];
    if (count >= sizeof(text)) {
        return false;
    }
    memcpy(text, bytes, count);
    text[count] = '\0';
    unsigned long long a, b;
    int n = 0, used = 0;
    if (sscanf(text, "regatta %d %d %f %f %llu %llu\n%n", &r->tick, &r->finished, &r->wind, &r->wind_turn, &a, &b, &n) != 6) {
        return false;
    }
    r->random.state = a;
    r->random.increment = b;
    for (int i = 0; i < BOATS; i++, n += used) {
        boat *o = &r->boats[i];
        if (sscanf(text + n, "boat %f %f %f %f %d %d %d\n%n", &o->x, &o->y, &o->speed, &o->heading, &o->lap, &o->next, &o->wind_shadow, &used) != 7) {
            return false;
        }
    }
    for (int i = 0; i < BUOYS; i++, n += used) {
        if (sscanf(text + n, "buoy %f %f %d\n%n", &r->buoys[i].x, &r->buoys[i].y, &r->buoys[i].touched, &used) != 3) {
            return false;
        }
    }
    return true;
}
static void regatta_hash(const void *state, bks_hasher *hasher)
{
    char text[4096];
    bks_hash_add(hasher, text, regatta_save(state, text, sizeof(text)));
}
static const bks_field fields[] = {{.name = "rudder", .bits = 2, .is_signed = true}, {.name = "trim", .bits = 1}};
static const bks_game game = {.name = "regatta", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 2,
    .create = regatta_create, .destroy = regatta_destroy, .save_bytes_max = 4096, .save = regatta_save, .load = regatta_load,
    .hash = regatta_hash, .init = regatta_init, .step = regatta_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
