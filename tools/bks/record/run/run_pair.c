// SPDX-License-Identifier: MIT

#include "record/run/run_pair.h"

#include "base/stop.h"
#include "base/tool.h"

// Ticks that one build steps before it is the other's turn: few enough that whatever holds one up
// holds up both, enough that what the other left in the caches does not count.
enum { TURN_TICKS = 16 };

typedef struct side {
    bks_playback *playback;
    run_least *least;
    uint64_t stretch_ns; ///< that this stretch has taken so far
} side;

// Step up to a tick. Where inputs are guessed, at the end until all of it is final.
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

// One turn of each.
// @param first  0 or 1: which build begins. The second one finds the caches warm
static bks_status take_turns(const run_pair_config *config, side sides[2], uint32_t first,
                             bks_tick until)
{
    const bks_status status = step_until(config, &sides[first], until);
    return status == BKS_OK ? step_until(config, &sides[1 - first], until) : status;
}

// A stretch is two turns of each: either build begins one of them.
static bks_status play_once(const run_pair_config *config, side sides[2], uint32_t half,
                            run_turns *turns)
{
    bks_status status = BKS_OK;
    bks_tick until = bks_playback_tick(sides[0].playback);
    for (uint32_t turn = 0; status == BKS_OK && until < config->end; turn++) {
        until = config->end - until > TURN_TICKS ? until + TURN_TICKS : config->end;
        status = take_turns(config, sides, turn % 2, until);
        if (status == BKS_OK && turn % 2 == 1) {
            status = run_turns_add(turns, half, sides[0].stretch_ns, sides[1].stretch_ns)
                         ? BKS_OK
                         : BKS_ERR_OUT_OF_MEMORY;
            sides[0].stretch_ns = 0;
            sides[1].stretch_ns = 0;
        }
    }
    run_least_end_run(sides[0].least);
    run_least_end_run(sides[1].least);
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
