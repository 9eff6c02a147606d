// SPDX-License-Identifier: MIT

#include "record/run/run_pair.h"

#include <stdlib.h>

#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/tool.h"

bool run_least_open(run_least *l, bks_tick first, bks_tick end)
{
    const bks_tick ticks = end > first ? end - first : 0;
    *l = (run_least){
        .ns = calloc((size_t)ticks + 1, sizeof(*l->ns)), .first = first, .ticks = ticks};
    return l->ns != NULL;
}

void run_least_free(run_least *l)
{
    free(l->ns);
    *l = (run_least){0};
}

void run_least_add(run_least *l, bks_tick tick, uint64_t ns)
{
    uint64_t *least = &l->ns[tick - l->first];
    *least = *least == 0 || ns < *least ? ns : *least;
}

double run_least_mean_us(const run_least *l)
{
    uint64_t sum_ns = 0;
    uint64_t count = 0;
    for (bks_tick i = 0; i < l->ticks; i++) {
        sum_ns += l->ns[i];
        count += l->ns[i] > 0 ? 1 : 0;
    }
    return count > 0 ? (double)sum_ns * 1e-3 / (double)count : 0;
}

void run_turns_add(run_turns *t, uint32_t half, uint64_t before_ns, uint64_t now_ns)
{
    if (before_ns > 0 && now_ns > 0) {
        const double ratio = (double)now_ns / (double)before_ns;
        samples_add(&t->all, ratio);
        samples_add(&t->half[half], ratio);
    }
}

void run_turns_free(run_turns *t)
{
    samples_free(&t->all);
    samples_free(&t->half[0]);
    samples_free(&t->half[1]);
}

// Number of ticks that one build steps before it is the other build's turn. It is small, so that a
// busy machine slows both builds alike, and large enough to outweigh the cold caches at the start
// of a turn.
enum { TURN_TICKS = 16 };

typedef struct side {
    bks_playback *playback;
    run_least *least;
    uint64_t stretch_ns; ///< time that the build took for the present stretch so far
} side;

// Step a playback up to a tick. With guessed inputs, at the end step on until all ticks are
// confirmed.
static bks_status step_until(const run_pair_config *config, side *s, bks_tick until)
{
    bks_status status = BKS_OK;
    const bool is_straight = config->playback.perspective == BKS_PERSPECTIVE_REFERENCE;
    while (status == BKS_OK &&
           (bks_playback_tick(s->playback) < until ||
            (until == config->end && bks_playback_confirmed(s->playback) < until))) {
        int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
        const bks_tick tick = bks_playback_tick(s->playback);
        const bool has_inputs =
            is_straight && bks_replay_inputs(config->playback.replay, tick, inputs) == BKS_OK;
        const uint64_t begun_ns = tool_clock_ns(NULL);
        status = has_inputs ? bks_playback_step_with(s->playback, inputs)
                            : bks_playback_step(s->playback);
        const uint64_t taken_ns = tool_clock_ns(NULL) - begun_ns;
        s->stretch_ns += taken_ns;
        if (status == BKS_OK && tick < config->end) {
            run_least_add(s->least, tick, taken_ns);
        }
    }
    return status == BKS_OVER ? BKS_OK : status;
}

// Let each build take one turn.
// @param first  build that begins; the second one finds warm caches
static bks_status take_turns(const run_pair_config *config, side sides[2], uint32_t first,
                             bks_tick until)
{
    const bks_status status = step_until(config, &sides[first], until);
    return status == BKS_OK ? step_until(config, &sides[1 - first], until) : status;
}

// Play the recording once with both builds. Each stretch has two turns, and each build begins one
// of them. The last stretch may have a single turn, which the builds begin in alternate runs.
static bks_status play_once(const run_pair_config *config, side sides[2], uint32_t half,
                            run_turns *turns)
{
    bks_status status = BKS_OK;
    bks_tick until = bks_playback_tick(sides[0].playback);
    for (uint32_t turn = 0; status == BKS_OK && until < config->end; turn++) {
        until = config->end - until > TURN_TICKS ? until + TURN_TICKS : config->end;
        status = take_turns(config, sides, (turn + half) % 2, until);
        if (status == BKS_OK && (turn % 2 == 1 || until == config->end)) {
            run_turns_add(turns, half, sides[0].stretch_ns, sides[1].stretch_ns);
            sides[0].stretch_ns = 0;
            sides[1].stretch_ns = 0;
        }
    }
    sides[0].least->run_count++;
    sides[1].least->run_count++;
    return status;
}

bks_status run_pair_measure(const run_pair_config *config, run_least *before, run_least *now,
                            run_turns *turns, bks_error *error)
{
    bks_status status = BKS_OK;
    for (uint32_t i = 0; status == BKS_OK && i < config->times && !stop_is_wanted(); i++) {
        side sides[2] = {{.least = before}, {.least = now}};
        const bks_game *games[2] = {config->before, config->now};
        for (uint32_t k = 0; status == BKS_OK && k < 2; k++) {
            bks_playback_config one = config->playback;
            one.game = games[k];
            status = bks_playback_create(&one, &sides[k].playback, error);
        }
        if (status == BKS_OK) {
            status = play_once(config, sides, i % 2, turns);
        }
        bks_playback_destroy(sides[0].playback);
        bks_playback_destroy(sides[1].playback);
    }
    return status;
}
