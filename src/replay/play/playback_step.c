// SPDX-License-Identifier: MIT

// Steps a playback, and passes on the marks and notes of its steps.

#include "backstitch/toolkit/recording.h"
#include "base/report.h"
#include "replay/play/playback_parts.h"

bks_tick bks_playback_confirmed(const bks_playback *playback)
{
    BKSI_REFUSE_NULL_OR(0, playback);
    return playback->perspective != NULL ? bksi_perspective_confirmed(playback->perspective)
                                         : playback->tick;
}

static void update_cues(bks_playback *playback)
{
    if (playback->cues != NULL) {
        bks_cues_update(playback->cues, playback->tick, bks_playback_confirmed(playback));
    }
}

bool bks_playback_cue(bks_playback *playback, bks_cue_event *event)
{
    BKSI_REFUSE_NULL_OR(false, playback);
    BKSI_REFUSE_NULL_OR(false, event);
    return playback->cues != NULL && bks_cues_next(playback->cues, event);
}

static bks_status step_perspective(bks_playback *playback)
{
    const bks_status status = bksi_perspective_step(playback->perspective);
    playback->tick = bksi_perspective_tick(playback->perspective);
    bksi_perspective_count(playback->perspective, &playback->costs.steps,
                           &playback->costs.rollbacks);
    update_cues(playback);
    return status == BKS_ERR_GAME ? bksi_playback_failure(playback, NULL) : status;
}

bks_status bksi_playback_failure(const bks_playback *playback, bks_error *error)
{
    const char *problem = bksi_runner_problem(playback->runner);
    return bksi_fail(error, BKS_ERR_GAME, "bks_playback_step", NULL,
                     "the game failed at tick %d: %s", (int)bks_playback_confirmed(playback),
                     problem != NULL ? problem : "it cannot be stepped from there");
}

/// Copy the state that is about to be stepped, for pictures between two ticks, and tell the
/// listener that a step begins.
static void begin_step(bks_playback *playback)
{
    if (playback->before.bytes != NULL) {
        const bksi_region *from = bksi_runner_region(playback->runner);
        bksi_region_put_back(&playback->before, from->bytes, bksi_region_used(from));
        playback->before_tick = playback->tick;
    }
    if (playback->listener.begun != NULL) {
        playback->listener.begun(playback->listener.context, playback->tick);
    }
}

static bks_status step_straight(bks_playback *playback, const int32_t *inputs)
{
    if (playback->has_failed) {
        return bksi_playback_failure(playback, NULL);
    }
    if (playback->replay->commands.count > 0) {
        BKSI_TRY(bksi_playback_pass_commands(playback));
    }
    if (!playback->is_seeking) {
        begin_step(playback);
    }
    if (bksi_runner_step(playback->runner, playback->tick, inputs) != BKS_OK) {
        playback->has_failed = true;
        return bksi_playback_failure(playback, NULL);
    }
    playback->tick++;
    playback->costs.steps++;
    update_cues(playback);
    if (playback->store.block != NULL) {
        bksi_playback_keep(playback, false);
    }
    return BKS_OK;
}

bks_status bks_playback_step(bks_playback *playback)
{
    BKSI_REFUSE_NULL(NULL, playback);
    if (playback->perspective != NULL) {
        return step_perspective(playback);
    }
    if (playback->is_refused) {
        return BKS_ERR_DAMAGED; // no log line: the seek that failed has logged why
    }
    if (playback->tick >= playback->replay->info.end) {
        return BKS_OVER;
    }
    const bks_status status = bks_replay_inputs(playback->replay, playback->tick, playback->inputs);
    return status == BKS_OK ? step_straight(playback, playback->inputs) : status;
}

bks_status bks_playback_step_with(bks_playback *playback, const int32_t *inputs)
{
    static const char step_call[] = "bks_playback_step_with";
    BKSI_REFUSE_NULL(NULL, playback);
    BKSI_REFUSE_NULL(NULL, inputs);
    if (playback->perspective != NULL) {
        return bksi_fail(
            NULL, BKS_ERR_BAD_ARGUMENT, step_call, "playback",
            "the playback guesses inputs, so it cannot step with given ones: its perspective "
            "must be BKS_PERSPECTIVE_REFERENCE");
    }
    if (playback->is_refused) {
        return BKS_ERR_DAMAGED;
    }
    return playback->tick < playback->replay->info.end ? step_straight(playback, inputs) : BKS_OVER;
}

static void hear_reached(void *context, bks_tick tick, const char *name)
{
    const bks_playback_listener *listener = context;
    listener->reached(listener->context, tick, name);
}

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    const bks_playback_listener *listener = context;
    listener->mark(listener->context, tick, name, hash);
}

static void hear_note(void *context, bks_tick tick, const char *text)
{
    const bks_playback_listener *listener = context;
    listener->note(listener->context, tick, text);
}

bks_status bks_playback_listen(bks_playback *playback, const bks_playback_listener *listener)
{
    BKSI_REFUSE_NULL(NULL, playback);
    playback->listener = listener != NULL ? *listener : (bks_playback_listener){0};
    const bksi_trace_sink sink = {
        .reached = playback->listener.reached != NULL ? hear_reached : NULL,
        .mark = playback->listener.mark != NULL ? hear_mark : NULL,
        .note = playback->listener.note != NULL ? hear_note : NULL,
        .context = &playback->listener,
    };
    bksi_runner_listen(playback->runner, &sink);
    if (playback->perspective != NULL) {
        bksi_perspective_listen(playback->perspective, playback->listener.begun,
                                playback->listener.context);
    }
    return BKS_OK;
}
