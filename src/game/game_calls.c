// SPDX-License-Identifier: MIT

#include "game/game_calls.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "det/float_environment.h"

/// Room for the text that names a call, its terminating zero included.
#define WHERE_BYTES 160

// Libraries that a game's loop calls, such as Direct3D, may change how the processor calculates
// [Back to the Future, comments] (docs/sources.md). Results of a step must not depend on this.

static bks_float_environment enter(const bksi_game_calls *calls)
{
    if (calls->floats == BKS_RUNNER_FLOATS_GUARDED) {
        return bksi_float_enter(false);
    }
    return calls->floats == BKS_RUNNER_FLOATS_TRAPPED ? bksi_float_enter(true)
                                                      : (bks_float_environment){0};
}

/// Leave the environment of a call of the game.
/// @return the changes that the call made, as bits of bks_float_fault
static uint32_t leave(const bksi_game_calls *calls, const bks_float_environment *before)
{
    if (calls->floats == BKS_RUNNER_FLOATS_GUARDED) {
        return bksi_float_leave(before);
    }
    // Do not report traps, because the runner has set them on purpose.
    return calls->floats == BKS_RUNNER_FLOATS_TRAPPED
               ? bksi_float_leave(before) & ~(uint32_t)BKS_FLOAT_TRAPS
               : bks_float_faults();
}

void *bksi_call_create(bksi_game_calls *calls, const bks_start *start)
{
    const bks_float_environment before = enter(calls);
    void *object = calls->game->create(start);
    calls->float_faults = leave(calls, &before);
    return object;
}

void bksi_call_init(bksi_game_calls *calls, void *state, const bks_start *start)
{
    const bks_float_environment before = enter(calls);
    calls->game->init(state, start);
    calls->float_faults = leave(calls, &before);
}

void bksi_call_step(bksi_game_calls *calls, void *state, bks_step *step)
{
    const int32_t *inputs = step->inputs;
    const size_t bytes = (size_t)step->players * step->field_count * sizeof(*inputs);
    memcpy(calls->inputs, inputs, bytes);
    step->inputs = calls->inputs;
    const bks_float_environment before = enter(calls);
    calls->game->step(state, step);
    calls->float_faults = leave(calls, &before);
    calls->wrote_inputs = memcmp(calls->inputs, inputs, bytes) != 0;
}

void bksi_call_extrapolate(bksi_game_calls *calls, void *state, const bks_step *step, float share)
{
    const bks_float_environment before = enter(calls);
    calls->game->extrapolate(state, step, share);
    (void)leave(calls, &before);
}

size_t bksi_call_save(bksi_game_calls *calls, const void *state, void *bytes, size_t capacity)
{
    const bks_float_environment before = enter(calls);
    const size_t count = calls->game->save(state, bytes, capacity);
    (void)leave(calls, &before);
    return count;
}

bool bksi_call_load(bksi_game_calls *calls, void *state, const void *bytes, size_t count)
{
    const bks_float_environment before = enter(calls);
    const bool is_loaded = calls->game->load(state, bytes, count);
    (void)leave(calls, &before);
    return is_loaded;
}

void bksi_call_hash(bksi_game_calls *calls, const void *state, bks_hasher *hasher)
{
    const bks_float_environment before = enter(calls);
    calls->game->hash(state, hasher);
    (void)leave(calls, &before);
}

const char *bksi_call_check(bksi_game_calls *calls, const void *state)
{
    const bks_float_environment before = enter(calls);
    const char *fault = calls->game->check(state);
    (void)leave(calls, &before);
    return fault;
}

static void report_inputs(bksi_game_calls *calls, const char *where)
{
    if (!calls->wrote_inputs || calls->has_warned_inputs) {
        return;
    }
    calls->has_warned_inputs = true;
    bksi_log(BKS_LOG_WARNING, "game.inputs",
             "%s: it wrote its inputs, which are const. Stepped again it has them as they were; "
             "bks check --variants resim names the line",
             where);
}

const char *bksi_last_mark_is(const char *mark)
{
    return mark != NULL ? "the last mark is " : "before any mark";
}

void bksi_game_calls_report(bksi_game_calls *calls, bks_tick tick, const char *mark)
{
    const char *game = calls->game->name;
    char where[WHERE_BYTES];
    if (tick == BKS_TICK_NONE) {
        (void)snprintf(where, sizeof(where), "init of %s", game);
    } else {
        (void)snprintf(where, sizeof(where), "step of %s at tick %d, %s%s", game, tick,
                       bksi_last_mark_is(mark), mark != NULL ? mark : "");
    }
    report_inputs(calls, where);
    if (calls->float_faults == 0 || calls->has_warned_floats ||
        calls->floats == BKS_RUNNER_FLOATS_AS_THEY_ARE) {
        return;
    }
    calls->has_warned_floats = true;
    bksi_log(BKS_LOG_WARNING, "game.floats",
             "%s: code that it calls %s and does not undo it; bks check --variants float names it",
             where, bks_float_faults_text(calls->float_faults));
}
