// SPDX-License-Identifier: MIT

// SPARK YARD: two welders throw sparks and pick up scrap that drops at random places.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>

enum { WELDERS = 2, SPARKS = 48, SCRAPS = 12, YARD_W = 640, YARD_H = 400 };

typedef struct welder {
    int32_t x, y, heat, scrap_held, score;
    uint8_t torch_on, cooldown;
} welder;

typedef struct spark {
    int32_t x, y, vx, vy;
    int16_t life;
    int16_t owner;
} spark;

typedef struct scrap {
    int32_t x, y, value;
    uint32_t born_tick;
} scrap;

typedef struct yard_state {
    uint32_t tick;
    welder welders[WELDERS];
    spark sparks[SPARKS];
    scrap scraps[SCRAPS];
    uint32_t next_spark, next_drop_tick;
    bks_random random;
} yard_state;

static int32_t clamp(int32_t v, int32_t lo, int32_t hi) { return v < lo ? lo : v > hi ? hi : v; }

static void yard_init(void *state, const bks_start *start)
{
    yard_state *y = state;
    bks_random_seed(&y->random, start->seed, 1);
    for (uint32_t i = 0; i < WELDERS; i++) {
        y->welders[i].x = 200 + 240 * (int32_t)i;
        y->welders[i].y = YARD_H / 2;
    }
    y->next_drop_tick = 30;
}

static void move_welders(yard_state *y, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        welder *w = &y->welders[i];
        w->x = clamp(w->x + in[0] / 16, 0, YARD_W);
        w->y = clamp(w->y + in[1] / 16, 0, YARD_H);
        w->torch_on = in[2] != 0 && w->cooldown == 0;
        w->heat = clamp(w->heat + (w->torch_on ? 3 : -1), 0, 300);
        if (w->heat == 300) w->cooldown = 60;
        if (w->cooldown > 0) w->cooldown--;
    }
}

static void emit_spark(yard_state *y, uint32_t owner)
{
    spark *s = &y->sparks[y->next_spark++ % SPARKS];
    s->x = y->welders[owner].x;
    s->y = y->welders[owner].y;
    s->vx = rand() % 9 - 4; // only an effect, says the comment of 2009
    s->vy = -(rand() % 6) - 1;
    s->life = 40;
    s->owner = (int16_t)owner;
}

static void move_sparks(yard_state *y)
{
    for (uint32_t i = 0; i < WELDERS; i++)
        if (y->welders[i].torch_on && y->tick % 4 == i) emit_spark(y, i);
    for (uint32_t i = 0; i < SPARKS; i++) {
        spark *s = &y->sparks[i];
        if (s->life <= 0) continue;
        s->x += s->vx;
        s->y += s->vy++ / 2;
        if (--s->life == 0) memset(s, 0, sizeof *s);
        for (uint32_t k = 0; k < SCRAPS && s->life > 0; k++) // hot sparks spoil scrap
            if (y->scraps[k].value > 0 && abs(s->x - y->scraps[k].x) < 6 && abs(s->y - y->scraps[k].y) < 6)
                y->scraps[k].value--;
    }
}

static void drop_scrap(yard_state *y)
{
    if (y->tick < y->next_drop_tick) return;
    y->next_drop_tick = y->tick + 40 + bks_random_below(&y->random, 50);
    for (uint32_t k = 0; k < SCRAPS; k++)
        if (y->scraps[k].value <= 0) {
            y->scraps[k] = (scrap){bks_random_between(&y->random, 20, YARD_W - 20),
                                   bks_random_between(&y->random, 20, YARD_H - 20), 20, y->tick};
            return;
        }
}

static void collect(yard_state *y)
{
    for (uint32_t i = 0; i < WELDERS; i++)
        for (uint32_t k = 0; k < SCRAPS; k++) {
            scrap *s = &y->scraps[k];
            if (s->value > 0 && abs(s->x - y->welders[i].x) < 24 && abs(s->y - y->welders[i].y) < 24) {
                y->welders[i].score += s->value;
                y->welders[i].scrap_held++;
                s->value = 0;
            }
        }
}

static void yard_step(void *state, const bks_step *step)
{
    yard_state *y = state;
    move_welders(y, step);
    bks_mark(step, "welders");
    drop_scrap(y);
    bks_mark(step, "drop");
    move_sparks(y);
    bks_mark(step, "sparks");
    collect(y);
    bks_mark(step, "collect");
    y->tick++;
}

static const bks_field fields[] = {
    {.name = "x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X},
    {.name = "y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y},
    {.name = "torch", .bits = 1},
};
static const bks_game game = {.name = "yard", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 3, .state_bytes = sizeof(yard_state), .init = yard_init, .step = yard_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
