// SPDX-License-Identifier: MIT

// Artillery duel: two tanks lob shells over hills. Ballistics and wind use the C library's mathematics.
#include <backstitch/backstitch.h>
#include <math.h>
enum { SHELLS = 16, HILLS = 64, BALLOONS = 12 };
typedef struct tank { double x, y, turret, power; int32_t hp, reload, score; } tank;
typedef struct shell { double x, y, vx, vy; int32_t owner, live, age; } shell;
typedef struct balloon { double x, y, phase, sway; int32_t popped; } balloon;
typedef struct artillery_state {
    tank tanks[2];
    shell shells[SHELLS];
    balloon balloons[BALLOONS];
    double wind, gust_phase;
    double hills[HILLS];
    bks_random random;
    int32_t round, fired, hits;
} artillery_state;
typedef struct artillery_input { int32_t turn, power, fire; } artillery_input;

static double ground(const artillery_state *a, double x)
{
    int i = (int)(x / 16.0);
    return a->hills[i < 0 ? 0 : i >= HILLS ? HILLS - 1 : i];
}
static void artillery_init(void *state, const bks_start *start)
{
    artillery_state *a = state;
    bks_random_seed(&a->random, start->seed, 1);
    for (int i = 0; i < HILLS; i++) {
        a->hills[i] = 100 + bks_random_below(&a->random, 60);
    }
    for (int i = 0; i < BALLOONS; i++) {
        a->balloons[i].x = 80 * i + 40;
    }
    for (int i = 0; i < 2; i++) {
        a->tanks[i] = (tank){.x = i ? 900 : 120, .turret = i ? 2.2 : 0.9, .power = 6, .hp = 100};
        a->tanks[i].y = ground(a, a->tanks[i].x);
    }
}
static void wind_step(artillery_state *a)
{
    a->gust_phase += 0.0137;
    if (a->gust_phase > 40) {
        a->gust_phase -= 40;
    }
    int32_t r = bks_random_between(&a->random, -100, 100);
    a->wind = a->wind * 0.98 + r * 0.00002;
}
static void balloons_step(artillery_state *a)
{
    for (int i = 0; i < BALLOONS; i++) {
        balloon *b = &a->balloons[i];
        b->phase += 0.031 + i * 0.0007;
        b->sway = sin(b->phase) * 4;
        b->x += a->wind * 3;
        b->y = 300 + 6 * i + b->sway;
        b->popped -= b->popped > 0;
        for (int s = 0; s < SHELLS && b->popped == 0; s++) {
            const shell *sh = &a->shells[s];
            if (sh->live && fabs(sh->x - b->x) < 9 && fabs(sh->y - b->y) < 9) {
                b->popped = 300;
                a->tanks[sh->owner].score += 2;
            }
        }
    }
}
static void tanks_step(artillery_state *a, const bks_step *step)
{
    for (uint32_t i = 0; i < step->players && i < 2; i++) {
        const artillery_input *in = bks_step_input(step, i);
        tank *t = &a->tanks[i];
        t->turret += in->turn * 0.011;
        t->power += in->power * 0.05;
        t->power = t->power < 2 ? 2 : t->power > 12 ? 12 : t->power;
        if (t->reload > 0) {
            t->reload--;
        } else if (in->fire) {
            for (int s = 0; s < SHELLS; s++) {
                shell *sh = &a->shells[s];
                if (!sh->live) {
                    *sh = (shell){.x = t->x, .y = t->y + 8, .owner = (int32_t)i, .live = 1};
                    sh->vx = cos(t->turret) * t->power;
                    sh->vy = sin(t->turret) * t->power;
                    a->fired++;
                    t->reload = 20;
                    break;
                }
            }
        }
    }
}
static void shells_step(artillery_state *a)
{
    for (int s = 0; s < SHELLS; s++) {
        shell *sh = &a->shells[s];
        if (!sh->live) {
            continue;
        }
        double speed = sqrt(sh->vx * sh->vx + sh->vy * sh->vy);
        double drag = 0.004 * pow(speed + 0.1, 1.37);
        sh->vx += a->wind - sh->vx * drag * 0.02;
        sh->vy += -0.06 - sh->vy * drag * 0.02;
        sh->x += sh->vx;
        sh->y += sh->vy;
        sh->age++;
        if (sh->x < 0 || sh->x > 1024 || sh->y < ground(a, sh->x) || sh->age > 400) {
            tank *other = &a->tanks[!sh->owner];
            double away = fabs(other->x - sh->x);
            if (away < 30) {
                other->hp -= (int32_t)(30 - away);
                a->hits++;
                a->tanks[sh->owner].score++;
            }
            *sh = (shell){0};
        }
    }
}
static void artillery_step(void *state, const bks_step *step)
{
    artillery_state *a = state;
    wind_step(a);
    bks_mark(step, "wind");
    balloons_step(a);
    bks_mark(step, "balloons");
    tanks_step(a, step);
    bks_mark(step, "tanks");
    shells_step(a);
    bks_mark(step, "shells");
    for (int i = 0; i < 2; i++) {
        if (a->tanks[i].hp <= 0) {
            a->tanks[i].hp = 100;
            a->round++;
        }
    }
}
static const bks_field fields[] = {{.name = "turn", .bits = 2, .is_signed = true},
                                   {.name = "power", .bits = 2, .is_signed = true},
                                   {.name = "fire", .bits = 1}};
static const bks_game game = {.name = "artillery", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 3,
    .state_bytes = sizeof(artillery_state), .init = artillery_init, .step = artillery_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
