// SPDX-License-Identifier: MIT

// Paratroopers: planes drop troopers; two faults: one unit built for the x87, and an auto-aim option of the player.
#include <backstitch/backstitch.h>
#include <math.h>
#include <stdlib.h>
double ballistics_fall(double v, double dt, double drag);
typedef struct trooper { double x, y, vy, chute; int32_t state, team; } trooper;
typedef struct gun { int32_t angle, ammo, kills, cool, aim; } gun;
enum { TROOPERS = 24, READY = 0, FALLS = 1, LANDED = 2 };
typedef struct para_state { trooper troopers[TROOPERS]; gun guns[2]; bks_random random; int32_t landed, next, killed; } para_state;
static void para_init(void *state, const bks_start *start)
{
    para_state *s = state;
    bks_random_seed(&s->random, start->seed, 100);
    s->guns[0] = s->guns[1] = (gun){.ammo = 500, .angle = 90};
}
static void drop(para_state *s)
{
    if (s->next-- > 0) {
        return;
    }
    s->next = 20;
    for (int i = 0; i < TROOPERS; i++) {
        trooper *t = &s->troopers[i];
        if (t->state != FALLS) {
            *t = (trooper){.x = bks_random_between(&s->random, 20, 600), .y = 400, .chute = 0.01 + 0.001 * bks_random_between(&s->random, 1, 90),
                           .state = FALLS, .team = i % 2};
            return;
        }
    }
}
static void fall(para_state *s)
{
    for (int i = 0; i < TROOPERS; i++) {
        trooper *t = &s->troopers[i];
        if (t->state == FALLS) {
            t->vy = ballistics_fall(t->vy, 1.0 / 60, t->chute);
            t->y -= t->vy / 8;
            if (t->y < 0) {
                t->state = LANDED;
                s->landed++;
            }
        }
    }
}
static void guns(para_state *s, const bks_step *step)
{
    const char *option = getenv("PARA_AUTOAIM"); // of this player
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p);
        gun *g = &s->guns[p];
        g->angle += in[0] * 2;
        g->angle = g->angle < 10 ? 10 : g->angle > 170 ? 170 : g->angle;
        g->cool -= g->cool > 0;
        if (step->tick > 200 && option != NULL && option[0] == '1') {
            g->aim = (g->aim + 1) % 4;
        }
        if (in[1] && g->cool == 0 && g->ammo > 0) {
            g->cool = 8;
            g->ammo--;
            for (int i = 0; i < TROOPERS; i++) {
                trooper *t = &s->troopers[i];
                if (t->state == FALLS && t->team != (int32_t)p && fabs(t->x - 600.0 * g->angle / 180) < 30 + 4 * g->aim) {
                    t->state = READY;
                    g->kills++;
                    s->killed++;
                    break;
                }
            }
        }
    }
}
static void para_step(void *state, const bks_step *step)
{
    para_state *s = state;
    drop(s);
    bks_mark(step, "drop");
    fall(s);
    bks_mark(step, "fall");
    guns(s, step);
    bks_mark(step, "guns");
}
static const bks_field fields[] = {{.name = "turn", .bits = 2, .is_signed = true}, {.name = "fire", .bits = 1}};
static const bks_game game = {.name = "para", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 2,
    .state_bytes = sizeof(para_state), .init = para_init, .step = para_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
