// SPDX-License-Identifier: MIT

// MINELAYER: submarines lay mines. The list of mines grows on the heap; the save was written before mines existed.
#include <backstitch/backstitch.h>
#include <backstitch/plugin.h>
#include <stdlib.h>
#include <string.h>
#include "../tail.h"

enum { SUBS = 2, TORPEDOES = 8, SEA_W = 640, SEA_H = 360 };

typedef struct mine {
    struct mine *next;
    int32_t x, y;
    int16_t arm, owner;
} mine;

typedef struct torpedo {
    int32_t x, y, vx;
    int16_t left, owner;
} torpedo;

typedef struct sub {
    int32_t x, y, hull, air;
    int16_t reload, mines_left;
    int32_t kills;
} sub;

typedef struct sea_state { // what is saved: all but the mines
    uint32_t tick;
    sub subs[SUBS];
    torpedo torpedoes[TORPEDOES];
} sea_state;

typedef struct sea {
    sea_state s;
    mine *mines;
    int mine_count;
} sea;

static void *sea_create(const bks_start *start) { (void)start; return calloc(1, sizeof(sea)); }

static void sea_destroy(void *state)
{
    sea *w = state;
    for (mine *m = w->mines, *next; m != NULL; m = next) next = m->next, free(m);
    free(w);
}

static void sea_init(void *state, const bks_start *start)
{
    sea *w = state;
    (void)start;
    for (int i = 0; i < SUBS; i++) w->s.subs[i] = (sub){.x = 100 + 400 * i, .y = 180, .hull = 100, .air = 600, .mines_left = 40};
}

static size_t sea_save(const void *state, void *bytes, size_t capacity)
{
    const sea *w = state;
    if (capacity < sizeof w->s) return 0;
    memcpy(bytes, &w->s, sizeof w->s);
    return sizeof w->s;
}

static bool sea_load(void *state, const void *bytes, size_t count)
{
    sea *w = state;
    if (count != sizeof w->s) return false;
    memcpy(&w->s, bytes, sizeof w->s);
    return true;
}

static void sea_hash(const void *state, bks_hasher *hasher) { bks_hash_add(hasher, &((const sea *)state)->s, sizeof(sea_state)); }

static void dive(sea *w, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        sub *b = &w->s.subs[i];
        b->x = (b->x + in[0] / 12 + SEA_W) % SEA_W;
        b->y += in[1] / 16;
        if (b->y < 0) b->y = 0;
        if (b->y > SEA_H) b->y = SEA_H;
        b->air += b->y < 20 ? 10 : -1;
        if (b->air < 0) b->hull--, b->air = 0;
        if (b->reload > 0) b->reload--;
    }
}

static void weapons(sea *w, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players; i++) {
        const int32_t *in = bks_step_input(step, i);
        sub *b = &w->s.subs[i];
        if (b->reload > 0) continue;
        if (in[2] && b->mines_left > 0) {
            mine *m = calloc(1, sizeof *m);
            *m = (mine){w->mines, b->x, b->y, 60, (int16_t)i};
            w->mines = m;
            w->mine_count++;
            b->mines_left--;
            b->reload = 30;
        } else if (in[3]) {
            for (int k = 0; k < TORPEDOES; k++)
                if (w->s.torpedoes[k].left == 0) {
                    w->s.torpedoes[k] = (torpedo){b->x, b->y, w->s.subs[!i].x > b->x ? 5 : -5, 90, (int16_t)i};
                    b->reload = 40;
                    break;
                }
        }
    }
}

static void run_torpedoes(sea *w)
{
    for (int k = 0; k < TORPEDOES; k++) {
        torpedo *t = &w->s.torpedoes[k];
        if (t->left == 0) continue;
        t->x += t->vx;
        t->left--;
        sub *foe = &w->s.subs[!t->owner];
        if (abs(t->x - foe->x) < 16 && abs(t->y - foe->y) < 16) foe->hull -= 20, t->left = 0;
    }
}

static void run_mines(sea *w)
{
    for (mine **at = &w->mines; *at != NULL;) {
        mine *m = *at;
        if (m->arm > 0) m->arm--;
        bool gone = false;
        for (int i = 0; i < SUBS && m->arm == 0; i++)
            if (abs(m->x - w->s.subs[i].x) < 20 && abs(m->y - w->s.subs[i].y) < 20) {
                w->s.subs[i].hull -= 25;
                w->s.subs[m->owner].kills += i != m->owner;
                gone = true;
            }
        if (gone) *at = m->next, free(m), w->mine_count--;
        else at = &m->next;
    }
    for (int i = 0; i < SUBS; i++)
        if (w->s.subs[i].hull <= 0) w->s.subs[i] = (sub){.x = 100 + 400 * i, .y = 180, .hull = 100, .air = 600, .mines_left = 40};
}

static void sea_step(void *state, const bks_step *step)
{
    sea *w = state;
    dive(w, step);
    bks_mark(step, "dive");
    weapons(w, step);
    bks_mark(step, "weapons");
    run_torpedoes(w);
    bks_mark(step, "torpedoes");
    run_mines(w);
    bks_mark(step, "mines");
    w->s.tick++;
}

static const bks_game game = {.name = "sea", .tick_rate_hz = 60, .players_min = 2, .players_max = 2,
    .fields = fields, .field_count = 4, .create = sea_create, .destroy = sea_destroy, .save_bytes_max = sizeof(sea_state),
    .save = sea_save, .load = sea_load, .hash = sea_hash, .init = sea_init, .step = sea_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
