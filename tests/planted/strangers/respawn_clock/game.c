// SPDX-License-Identifier: MIT

// HARBOUR: ships shoot at each other near a lighthouse; a sunk ship comes back three seconds later.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <time.h>
#include "../tail.h"

enum { SHIPS = 2, SHELLS = 24, SEA = 1000 };

typedef enum ship_mode { SHIP_SAILING, SHIP_SUNK } ship_mode;

typedef struct ship {
    int32_t x, y, vx, vy;
    int16_t hull, reload;
    uint8_t mode; // ship_mode
    uint8_t facing;
    int64_t respawn_at_ms;
    int32_t kills, losses;
} ship;

typedef struct shell {
    int32_t x, y, vx, vy;
    int16_t ticks_left;
    uint8_t owner, live;
} shell;

typedef struct harbour_state {
    uint32_t tick;
    ship ships[SHIPS];
    int32_t beam_degrees;
    shell shells[SHELLS];
} harbour_state;

static int64_t now_ms(void) // from the engine's utility library
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void place(ship *s, int who)
{
    s->x = who == 0 ? 300 : 700;
    s->y = SEA / 2;
    s->vx = s->vy = 0;
    s->hull = 40;
    s->mode = SHIP_SAILING;
    s->respawn_at_ms = 0;
}

static void harbour_init(void *state, const bks_start *start)
{
    harbour_state *h = state;
    (void)start;
    for (int i = 0; i < SHIPS; i++) place(&h->ships[i], i);
}

static void sail(harbour_state *h, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        ship *s = &h->ships[i];
        if (s->mode != SHIP_SAILING) continue;
        s->vx = (s->vx * 15 + in[0] * 2) / 16;
        s->vy = (s->vy * 15 + in[1] * 2) / 16;
        s->x = (s->x + s->vx / 8 + SEA) % SEA;
        s->y = (s->y + s->vy / 8 + SEA) % SEA;
        if (in[0] != 0) s->facing = in[0] > 0;
        if (s->reload > 0) s->reload--;
    }
}

static void shoot(harbour_state *h, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        ship *s = &h->ships[i];
        if (!((const int32_t *)bks_step_input(step, i))[2] || s->reload > 0 || s->mode != SHIP_SAILING) continue;
        for (int k = 0; k < SHELLS; k++)
            if (!h->shells[k].live) {
                ship *foe = &h->ships[!i];
                h->shells[k] = (shell){s->x, s->y, (foe->x - s->x) / 20, (foe->y - s->y) / 20, 30, (uint8_t)i, 1};
                s->reload = 12;
                break;
            }
    }
}

static void fly(harbour_state *h)
{
    for (int k = 0; k < SHELLS; k++) {
        shell *b = &h->shells[k];
        if (!b->live) continue;
        b->x += b->vx;
        b->y += b->vy;
        ship *foe = &h->ships[!b->owner];
        if (foe->mode == SHIP_SAILING && abs(b->x - foe->x) < 25 && abs(b->y - foe->y) < 25) {
            foe->hull -= 8;
            b->live = 0;
        } else if (--b->ticks_left <= 0) {
            b->live = 0;
        }
    }
}

static void sink_and_return(harbour_state *h)
{
    for (int i = 0; i < SHIPS; i++) {
        ship *s = &h->ships[i];
        if (s->mode == SHIP_SAILING && s->hull <= 0) {
            s->mode = SHIP_SUNK;
            s->losses++;
            h->ships[!i].kills++;
            s->respawn_at_ms = now_ms() + 3000;
        } else if (s->mode == SHIP_SUNK && now_ms() >= s->respawn_at_ms) {
            place(s, i);
        }
    }
}

static void harbour_step(void *state, const bks_step *step)
{
    harbour_state *h = state;
    sail(h, step);
    bks_mark(step, "sail");
    shoot(h, step);
    bks_mark(step, "shoot");
    fly(h);
    bks_mark(step, "shells");
    sink_and_return(h);
    bks_mark(step, "respawn");
    h->beam_degrees = (h->beam_degrees + 2) % 360;
    h->tick++;
}

static const bks_game game = {.name = "harbour", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(harbour_state), .init = harbour_init, .step = harbour_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
