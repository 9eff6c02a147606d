// SPDX-License-Identifier: MIT

// Squad tactics: 24 units march, turn, and shoot along their 16-bit heading, as in old strategy games.
#include <backstitch/backstitch.h>
#define PI_F 3.14159265f
#define TO_HEADING (32768.0f / PI_F)
enum { UNITS = 24 };
typedef enum mood { MOOD_MARCH, MOOD_RETREAT, MOOD_HOLD } mood;
typedef struct unit { int32_t x, y; int16_t heading; uint8_t team, mood; int16_t hp, morale; int32_t cooldown; } unit;
typedef struct squad_state {
    unit units[UNITS];
    bks_random random;
    int32_t kills[2], supplies[2], tick;
} squad_state;
typedef struct squad_input { int32_t order, focus; } squad_input;

static inline void face(unit *u, float radians) // angle to a full circle in 16 bits
{
    u->heading = (int16_t)(radians * TO_HEADING);
}
static void squad_init(void *state, const bks_start *start)
{
    squad_state *s = state;
    bks_random_seed(&s->random, start->seed, 11);
    for (int i = 0; i < UNITS; i++) {
        unit *u = &s->units[i];
        u->team = (uint8_t)(i % 2);
        u->x = u->team ? 9000 : 1000;
        u->y = 400 * (i / 2);
        u->hp = 100;
        u->morale = (int16_t)bks_random_between(&s->random, 40, 90);
        face(u, u->team ? -1.5f : 1.5f);
    }
}
static void orders(squad_state *s, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const squad_input *in = bks_step_input(step, p);
        for (int i = 0; i < UNITS; i++) {
            unit *u = &s->units[i];
            if (u->team == p && i % 4 == (in->focus & 3)) {
                u->mood = in->order == 1 && u->morale > 20 ? MOOD_MARCH : in->order == 2 ? MOOD_HOLD : u->mood;
            }
        }
        s->supplies[p] += in->order != 0;
    }
}
static void morale(squad_state *s)
{
    for (int i = 0; i < UNITS; i++) {
        unit *u = &s->units[i];
        if (u->morale < 20 && u->mood != MOOD_RETREAT) {
            u->mood = MOOD_RETREAT;
            if (u->team) {
                face(u, 1.5f);
            } else {
                face(u, PI_F); // turn round
            }
        } else if (u->mood == MOOD_RETREAT && u->morale > 60) {
            u->mood = MOOD_HOLD;
        }
        u->morale = (int16_t)(u->morale + (s->tick % 16 == i % 16 ? 1 : 0));
        if (u->morale > 99) {
            u->morale = 99;
        }
    }
}
static void move(squad_state *s)
{
    for (int i = 0; i < UNITS; i++) {
        unit *u = &s->units[i];
        if (u->mood == MOOD_HOLD) {
            continue;
        }
        int dir = u->mood == MOOD_RETREAT ? -1 : 1;
        u->x += dir * (u->team ? -9 : 9);
        u->y += u->heading / 8192;
        u->x = u->x < 0 ? 0 : u->x > 10000 ? 10000 : u->x;
    }
}
static void shoot(squad_state *s)
{
    for (int i = 0; i < UNITS; i++) {
        unit *u = &s->units[i];
        if (u->cooldown > 0) {
            u->cooldown--;
            continue;
        }
        for (int j = 0; j < UNITS; j++) {
            unit *t = &s->units[j];
            if (t->team != u->team && t->hp > 0 && t->x - u->x < 3000 && u->x - t->x < 3000 && (t->y - u->y) / 512 == 0) {
                t->hp = (int16_t)(t->hp - 4);
                t->morale = (int16_t)(t->morale - bks_random_between(&s->random, 3, 9));
                u->cooldown = 12;
                if (t->hp <= 0) {
                    s->kills[u->team]++;
                    t->hp = 100;
                    t->x = t->team ? 9000 : 1000;
                    t->mood = MOOD_HOLD;
                }
                break;
            }
        }
    }
}
static void squad_step(void *state, const bks_step *step)
{
    squad_state *s = state;
    s->tick++;
    orders(s, step);
    bks_mark(step, "orders");
    morale(s);
    bks_mark(step, "morale");
    move(s);
    bks_mark(step, "move");
    shoot(s);
    bks_mark(step, "shoot");
}
static const bks_field fields[] = {{.name = "order", .bits = 2}, {.name = "focus", .bits = 2}};
static const bks_game game = {.name = "squad", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 2,
    .state_bytes = sizeof(squad_state), .init = squad_init, .step = squad_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
