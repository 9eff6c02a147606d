// SPDX-License-Identifier: MIT

/// @file recorder.h
/// Hands a match to the replay writer as it happens: what a tick is stepped with before it is
/// stepped, what is final once it is.

#ifndef BKSI_RECORDER_H
#define BKSI_RECORDER_H

#include "backstitch/replay.h"
#include "backstitch/session.h"
#include "game/runner.h"

typedef struct bksi_recorder {
    bks_replay_writer *writer; ///< NULL: nothing is recorded (any more)
    bks_tick next;             ///< first tick not yet final
    bks_tick used;             ///< one past the newest tick told
    uint32_t capacity_ticks;   ///< most ticks told and not final
    size_t values;             ///< players * fields
    int32_t *inputs;           ///< capacity * values: what ticks next .. used-1 are told to be
    uint64_t *page_hashes;
    uint8_t *state;
    size_t pages_max;
    size_t state_bytes_max;
    bks_allocator allocator;
} bksi_recorder;

/// Begin with the state of tick 0 as the runner has it. May allocate: it comes before the first
/// tick.
/// @return BKS_OK, or why there will be no recording
bks_status bksi_recorder_start(bksi_recorder *recorder, bksi_runner *runner, const bks_sink *sink,
                               const char *build, uint32_t window_ticks,
                               const bks_allocator *allocator);
void bksi_recorder_destroy(bksi_recorder *recorder);

/// A tick is about to be stepped with `inputs`. What cannot be written ends the recording, with a
/// log line; the match goes on.
void bksi_recorder_step(bksi_recorder *recorder, const bks_session *session, bks_tick tick,
                        const int32_t *inputs);

/// A step of `tick` was told a fact. It must be written before the step goes on.
void bksi_recorder_fact(bksi_recorder *recorder, bks_tick tick, uint32_t question,
                        const void *bytes, size_t count);

/// Pass on what has become final; close the recording once the last tick has.
void bksi_recorder_settle(bksi_recorder *recorder, const bks_session *session);

/// End the recording as far as it came.
void bksi_recorder_finish(bksi_recorder *recorder, const bks_session *session);

#endif
