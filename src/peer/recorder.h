// SPDX-License-Identifier: MIT

/// @file recorder.h
/// Recorder: passes a match to the replay writer as it happens. The inputs of a tick are passed
/// before it is stepped, and its final inputs once it is settled. Ticks that are not settled when
/// the recording ends do not count as final, because an input that arrived since the last update
/// may show that one of them was stepped with a wrong guess.

#ifndef BKSI_RECORDER_H
#define BKSI_RECORDER_H

#include "backstitch/record.h"
#include "backstitch/session.h"
#include "backstitch/toolkit/writer.h"
#include "game/runner.h"
#include "peer/evidence.h"
#include "peer/mark_samples.h"
#include "peer/tick_samples.h"

typedef struct bksi_recorder_config {
    bks_sink sink;
    bks_replay_detail detail;
    const char *build;
    uint32_t window_ticks;
    bks_tick first_tick; ///< first tick of the match
    const bks_session *session;
    bks_allocator allocator;
} bksi_recorder_config;

typedef struct bksi_recorder {
    bks_replay_writer *writer; ///< writer of the recording; NULL: nothing is recorded, or no longer
    bks_tick first_tick;       ///< first tick of the match
    bool has_pointers;         ///< the state holds raw pointers, so none of it is written
    bks_tick next;             ///< first tick that is not final yet
    bks_tick next_commands;    ///< first tick whose commands are not written yet
    bks_tick used;             ///< one past the newest tick that was or is about to be stepped
    bool has_written;          ///< something was written since the last bksi_recorder_settle()
    bool is_rolling;           ///< true if the present rollback has already been recorded
    bksi_tick_samples samples;
    bksi_mark_samples marks;
    bksi_evidence evidence; ///< evidence of desyncs
    uint64_t events;        ///< number of session events handled
    bks_tick wrong_since;   ///< first wrong tick of the newest repair of our own state
    uint32_t delay;         ///< input delay recorded last
    uint64_t *page_hashes;
    uint8_t *state; ///< memory for one state
    size_t pages_max;
    size_t state_bytes_max;
    bks_allocator allocator;
} bksi_recorder;

/// Begin a recording, with the state of the first tick in the runner. May allocate, because the
/// first tick has not been stepped yet.
/// @return BKS_OK; any other status: there is no recording
bks_status bksi_recorder_start(bksi_recorder *recorder, bksi_runner *runner,
                               const bksi_recorder_config *config);
void bksi_recorder_destroy(bksi_recorder *recorder);

/// Prepare the recording for a tick that is about to be stepped. If the tick cannot be written, log
/// it and end the recording; the match continues.
void bksi_recorder_step(bksi_recorder *recorder, const bks_session *session, bks_tick tick);

/// Register that the runner loaded a slot.
void bksi_recorder_loaded(bksi_recorder *recorder);

/// Register that a tick was stepped, so the present state is the one at the start of `tick`.
void bksi_recorder_stepped(bksi_recorder *recorder, bksi_runner *runner, bks_tick tick);

/// Record a fact that a step of `tick` got, before the step continues.
void bksi_recorder_fact(bksi_recorder *recorder, bks_tick tick, uint32_t question,
                        const void *bytes, size_t count);

/// Pass on news after an update: ticks that became final, events, and a keyframe if one is due and
/// its state is available.
void bksi_recorder_settle(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner);

/// Record a note of the user.
/// @param recorder  NULL: check the text alone
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bksi_recorder_note(bksi_recorder *recorder, bks_tick tick, const char *text);

/// Close the recording in order, with its final ticks. Add an event with the reason if the match
/// does not end here.
void bksi_recorder_finish(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner);

/// Leave the recording as if the process had been killed.
void bksi_recorder_abandon(bksi_recorder *recorder);

#endif
