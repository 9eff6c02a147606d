// SPDX-License-Identifier: MIT

#include "workshop/bench/bench_lockstep_run.h"

#include <stdlib.h>
#include <string.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/lab.h"
#include "backstitch/toolkit/peer.h"

#define SECOND_NS UINT64_C(1000000000)
/// Time from one check of the lab's peers to the next.
#define LOOK_NS (SECOND_NS / 4000)

// ---- traces of samples and steps ----

bool lockstep_run_open(lockstep_run *run)
{
    bool is_good = true;
    for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
        lockstep_trace *trace = &run->traces[i];
        const uint32_t room = (run->seconds + 1) * LOCKSTEP_HZ + LOCKSTEP_DELAY_MAX;
        *trace = (lockstep_trace){.sampled_ns = malloc(room * sizeof(uint64_t)),
                                  .stepped_ns = malloc(room * sizeof(uint64_t)),
                                  .room = room};
        is_good = is_good && trace->sampled_ns != NULL && trace->stepped_ns != NULL;
        for (uint32_t tick = 0; is_good && tick < room; tick++) {
            trace->sampled_ns[tick] = UINT64_MAX;
        }
    }
    return is_good;
}

void lockstep_run_close(lockstep_run *run)
{
    for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
        free(run->traces[i].sampled_ns);
        free(run->traces[i].stepped_ns);
        run->traces[i] = (lockstep_trace){0};
    }
}

void lockstep_note_sample(lockstep_trace *trace, uint32_t tick, uint64_t now_ns)
{
    if (tick < trace->room) {
        trace->sampled_ns[tick] = now_ns;
    }
}

void lockstep_note_step(lockstep_trace *trace, uint64_t now_ns)
{
    if (trace->steps < trace->room) {
        trace->stepped_ns[trace->steps++] = now_ns;
    }
}

// ---- matches with this library, in the lab ----

typedef struct line_state {
    int32_t sum;
} line_state;

static void line_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void line_step(void *state, const bks_step *step)
{
    ((line_state *)state)->sum += step->inputs[0] + step->inputs[1];
}

static const bks_field fields[] = {{.name = "stick", .bits = 8, .is_signed = true},
                                   {.name = "buttons", .bits = 8}};

static const bks_game line_game = {
    .name = "line",
    .version = 1,
    .tick_rate_hz = LOCKSTEP_HZ,
    .players_max = LOCKSTEP_PEERS,
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .state_bytes = sizeof(line_state),
    .init = line_init,
    .step = line_step,
};

/// Source of one player's inputs: a monkey, with a trace that records the time of each sample.
typedef struct tap {
    bks_source inner;
    lockstep_trace *trace;
    bks_lab *const *lab;
    const uint64_t *begun_ns;
} tap;

static void tap_sample(void *context, const bks_sample *sample, int32_t *values)
{
    const tap *t = context;
    if (*t->begun_ns != 0) {
        lockstep_note_sample(t->trace, (uint32_t)sample->tick, bks_lab_now(*t->lab) - *t->begun_ns);
    }
    t->inner.sample(t->inner.context, sample, values);
}

/// Play a match in the lab, and record the times of its first tick and of all steps.
static void play(lockstep_run *run, bks_lab *lab, uint64_t *begun_ns)
{
    uint64_t at_ns = 0;
    const uint64_t length_ns = run->seconds * SECOND_NS;
    while (bks_lab_advance(lab, at_ns) && (*begun_ns == 0 || at_ns - *begun_ns < length_ns)) {
        uint32_t begun = 0;
        for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
            const bks_session *session = bks_peer_session(bks_lab_peer(lab, i));
            const uint32_t tick = (uint32_t)bks_session_tick(session);
            begun += tick > 0 ? 1 : 0;
            while (*begun_ns != 0 && run->traces[i].steps < tick) {
                lockstep_note_step(&run->traces[i], at_ns - *begun_ns);
            }
        }
        if (begun == LOCKSTEP_PEERS && *begun_ns == 0) {
            *begun_ns = at_ns;
            run->connect_ms = (double)at_ns / 1e6;
            run->has_begun = true;
        }
        at_ns += LOOK_NS;
    }
}

static bool play_in_lab(lockstep_run *run, const bks_lab_config *config, bks_lab **lab,
                        uint64_t *begun_ns)
{
    if (bks_lab_create(config, lab, NULL) != BKS_OK ||
        bks_lab_link(*lab, run->spec, NULL) != BKS_OK) {
        return false;
    }
    play(run, *lab, begun_ns);
    bks_lab_result result;
    (void)bks_lab_outcome(*lab, &result);
    double delay = 0.0;
    for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
        run->bytes += result.links[i][1 - i].bytes;
        delay += result.peers[i].stats.input_delay_mean / LOCKSTEP_PEERS;
    }
    run->delay_ticks = (uint32_t)(delay + 0.5);
    return true;
}

bool lockstep_ours(lockstep_run *run)
{
    bks_lab *lab = NULL;
    uint64_t begun_ns = 0;
    tap taps[LOCKSTEP_PEERS];
    bks_monkey monkeys[LOCKSTEP_PEERS];
    bks_lab_config config = bks_lab_config_default();
    config.game = &line_game;
    config.ticks = (bks_tick)((run->seconds + 10) * LOCKSTEP_HZ);
    config.seed = run->seed;
    config.tuning.window_ticks = 0;
    bool is_good = true;
    for (uint32_t i = 0; i < LOCKSTEP_PEERS; i++) {
        is_good = is_good && bks_monkey_init(&monkeys[i], line_game.fields, line_game.field_count,
                                             run->seed, i, 3, 20, NULL) == BKS_OK;
        taps[i] = (tap){bks_monkey_source(&monkeys[i]), &run->traces[i], &lab, &begun_ns};
        config.sources[i] = (bks_source){.sample = tap_sample, .context = &taps[i]};
    }
    is_good = is_good && play_in_lab(run, &config, &lab, &begun_ns);
    bks_lab_destroy(lab);
    return is_good;
}
