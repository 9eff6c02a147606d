// SPDX-License-Identifier: MIT

// Colony: settlers, jobs on a board; each job has a number from a global counter, and older jobs go first.
#include <backstitch/backstitch.h>
typedef enum job_kind { JOB_DIG, JOB_HAUL, JOB_BUILD } job_kind;
typedef struct job { uint32_t number; int16_t x, y; uint8_t kind, open, owner, work; } job;
typedef struct settler { int16_t x, y; int16_t job, energy; int32_t done; } settler;
enum { JOBS = 40, SETTLERS = 12 };
typedef struct colony_state {
    settler settlers[SETTLERS];
    job jobs[JOBS];
    int32_t stone[2], wood[2];
    bks_random random;
    int32_t day;
} colony_state;
static const bks_type_entry types[] = {BKS_TYPE_ENUM(job, kind, job_kind)};
static uint32_t next_job_number = 1;

static job *post_job(colony_state *c, job_kind kind, int x, int y, uint32_t owner)
{
    for (int i = 0; i < JOBS; i++) {
        job *j = &c->jobs[i];
        if (!j->open) {
            *j = (job){.number = next_job_number++, .x = (int16_t)x, .y = (int16_t)y, .kind = (uint8_t)kind, .open = 1, .owner = (uint8_t)owner};
            return j;
        }
    }
    return 0;
}
static void colony_init(void *state, const bks_start *start)
{
    colony_state *c = state;
    bks_random_seed(&c->random, start->seed, 8);
    for (int i = 0; i < SETTLERS; i++) {
        c->settlers[i] = (settler){.x = (int16_t)(100 + 20 * i), .y = 200, .job = -1, .energy = 100};
    }
}
static void orders(colony_state *c, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p);
        if (in[2] && (step->tick + p) % 15 == 0) {
            post_job(c, (job_kind)(in[3] % 3), in[0] * 8, in[1] * 8, p);
        }
    }
}
static void assign(colony_state *c)
{
    for (int i = 0; i < SETTLERS; i++) {
        settler *s = &c->settlers[i];
        if (s->job >= 0 || s->energy < 20) {
            continue;
        }
        int best = -1;
        for (int k = 0; k < JOBS; k++) {
            const job *j = &c->jobs[k];
            if (j->open == 1 && (best < 0 || j->number < c->jobs[best].number)) {
                best = k;
            }
        }
        if (best >= 0) {
            s->job = (int16_t)best;
            c->jobs[best].open = 2;
        }
    }
}
static void work(colony_state *c)
{
    for (int i = 0; i < SETTLERS; i++) {
        settler *s = &c->settlers[i];
        if (s->job < 0) {
            s->energy = (int16_t)(s->energy < 100 ? s->energy + 1 : 100);
            continue;
        }
        job *j = &c->jobs[s->job];
        s->x = (int16_t)(s->x + (j->x > s->x ? 4 : j->x < s->x ? -4 : 0));
        s->y = (int16_t)(s->y + (j->y > s->y ? 4 : j->y < s->y ? -4 : 0));
        int dx = j->x - s->x, dy = j->y - s->y;
        if (dx * dx + dy * dy < 64 && ++j->work > 20) {
            *(j->kind == JOB_DIG ? &c->stone[j->owner] : &c->wood[j->owner]) += 3;
            *j = (job){0};
            s->done++;
            s->energy = (int16_t)(s->energy - 15);
            s->job = -1;
        }
    }
}
static void colony_step(void *state, const bks_step *step)
{
    colony_state *c = state;
    c->day = (int32_t)(step->tick / 600);
    orders(c, step);
    bks_mark(step, "orders");
    assign(c);
    bks_mark(step, "assign");
    work(c);
    bks_mark(step, "work");
}
static const bks_field fields[] = {{.name = "x", .bits = 6}, {.name = "y", .bits = 5}, {.name = "post", .bits = 1}, {.name = "kind", .bits = 2}};
static const bks_game game = {.name = "colony", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 4,
    .state_bytes = sizeof(colony_state), .types = types, .type_count = 1, .init = colony_init, .step = colony_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};
