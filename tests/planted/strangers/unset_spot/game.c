// SPDX-License-Identifier: MIT

// SCOUT: scouts look for a place within their radius; if none is free they go on to wherever they went before.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { W = 48, H = 32, SCOUTS = 10, LEADERS = 2 };

typedef struct leader {
    int32_t x, y;
    int16_t known, held;
    int32_t score;
} leader;

typedef struct scout {
    int16_t x, y, goal_x, goal_y;
    int16_t rest;
    uint8_t owner, seen_any;
} scout;

typedef struct scout_state {
    uint32_t tick;
    leader leaders[LEADERS];
    scout scouts[SCOUTS];
    uint8_t seen[LEADERS][H][W];
    bks_random random;
} scout_state;

typedef struct spot {
    int16_t x, y;
    int32_t worth;
} spot;

static void scout_init(void *state, const bks_start *start)
{
    scout_state *s = state;
    bks_random_seed(&s->random, start->seed, 8);
    for (int i = 0; i < LEADERS; i++) s->leaders[i] = (leader){.x = 12 + 24 * i, .y = 16};
    for (int i = 0; i < SCOUTS; i++) s->scouts[i] = (scout){(int16_t)(12 + 24 * (i % 2)), 16, 12, 16, (int16_t)(5 * i), (uint8_t)(i % 2), 0};
}

// The unseen place nearby that is worth most.
static spot best_spot(scout_state *s, const scout *who, int radius)
{
    spot best;
    int32_t worth = 0;
    for (int try = 0; try < 12; try++) {
        const int x = who->x + bks_random_between(&s->random, -radius, radius);
        const int y = who->y + bks_random_between(&s->random, -radius, radius);
        if (x < 0 || y < 0 || x >= W || y >= H || s->seen[who->owner][y][x]) continue;
        const int32_t w = 100 - abs(x - s->leaders[who->owner].x) - abs(y - s->leaders[who->owner].y);
        if (w > worth) {
            worth = w;
            best.x = (int16_t)x;
            best.y = (int16_t)y;
            best.worth = w;
        }
    }
    return best;
}

static void lead(scout_state *s, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        leader *l = &s->leaders[i];
        if (l->held > 0) { l->held--; continue; }
        l->x = (l->x + (in[0] > 20) - (in[0] < -20) + W) % W;
        l->y = (l->y + (in[1] > 20) - (in[1] < -20) + H) % H;
        l->held = 4;
        if (in[2] && l->known > 30) { // sell the map: all is unknown again
            memset(s->seen[i], 0, sizeof s->seen[i]);
            l->score += l->known;
            l->known = 0;
        }
    }
}

static void choose(scout_state *s)
{
    for (int i = 0; i < SCOUTS; i++) {
        scout *c = &s->scouts[i];
        if (c->rest > 0 || c->x != c->goal_x || c->y != c->goal_y) continue;
        const spot to = best_spot(s, c, 4);
        c->goal_x = (int16_t)((to.x % W + W) % W);
        c->goal_y = (int16_t)((to.y % H + H) % H);
        c->rest = 10;
    }
}

static void walk(scout_state *s)
{
    for (int i = 0; i < SCOUTS; i++) {
        scout *c = &s->scouts[i];
        if (c->rest > 0) { c->rest--; continue; }
        c->x = (int16_t)(c->x + (c->goal_x > c->x) - (c->goal_x < c->x));
        c->y = (int16_t)(c->y + (c->goal_y > c->y) - (c->goal_y < c->y));
        for (int y = c->y - 1; y <= c->y + 1; y++)
            for (int x = c->x - 1; x <= c->x + 1; x++)
                if (x >= 0 && y >= 0 && x < W && y < H && !s->seen[c->owner][y][x]) s->seen[c->owner][y][x] = 1, s->leaders[c->owner].known++;
    }
}

static void scout_step(void *state, const bks_step *step)
{
    scout_state *s = state;
    lead(s, step);
    bks_mark(step, "lead");
    choose(s);
    bks_mark(step, "choose");
    walk(s);
    bks_mark(step, "walk");
    s->tick++;
}

static const bks_type_entry types[] = {BKS_TYPE_ROOT(scout_state)};
static const bks_game game = {.name = "scouts", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .state_bytes = sizeof(scout_state), .types = types, .type_count = 1, .init = scout_init, .step = scout_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
