// SPDX-License-Identifier: MIT

/// @file recorder.h
/// Hands a match to the replay writer as it happens: what a tick is stepped with before it is
/// stepped, what is final once it is. Final is what the session has settled, also when the peer is
/// destroyed between two updates: an input that came since may show that a guess was wrong.

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
    bks_tick first_tick; ///< of the match
    const bks_session *session;
    bks_allocator allocator;
} bksi_recorder_config;

typedef struct bksi_recorder {
    bks_replay_writer *writer; ///< NULL: nothing is recorded (any more)
    bks_tick first_tick;       ///< as configured
    bool has_pointers;         ///< in the state: none of it is written (any more)
    bks_tick next;             ///< first tick not yet final
    bks_tick used;             ///< one past the newest tick stepped, or about to be
    bool has_written;          ///< since the last bksi_recorder_settle()
    bool is_rolling;           ///< the rollback under way is in the recording
    bksi_tick_samples samples;
    bksi_mark_samples marks;
    bksi_evidence evidence; ///< of a desync
    uint64_t events;        ///< of the session, seen so far
    bks_tick wrong_since;   ///< of the newest repair of our own state
    uint32_t delay;         ///< input delay that was recorded last
    uint64_t *page_hashes;
    uint8_t *state; ///< room for one state
    size_t pages_max;
    size_t state_bytes_max;
    bks_allocator allocator;
} bksi_recorder;

/// Begin with the state of the first tick as the runner has it. May allocate: it comes before that
/// tick.
/// @return BKS_OK, or why there will be no recording
bks_status bksi_recorder_start(bksi_recorder *recorder, bksi_runner *runner,
                               const bksi_recorder_config *config);
void bksi_recorder_destroy(bksi_recorder *recorder);

/// A tick is about to be stepped, by the session's STEP at hand. What cannot be written ends the
/// recording, with a log line; the match continues.
void bksi_recorder_step(bksi_recorder *recorder, const bks_session *session, bks_tick tick);

/// The game was taken back to a slot.
void bksi_recorder_loaded(bksi_recorder *recorder);

/// A tick was stepped: the state is that at the start of `tick`, the next one.
void bksi_recorder_stepped(bksi_recorder *recorder, bksi_runner *runner, bks_tick tick);

/// A step of `tick` got a fact. It is written before the step continues.
void bksi_recorder_fact(bksi_recorder *recorder, bks_tick tick, uint32_t question,
                        const void *bytes, size_t count);

/// After an update: pass on what has become final, a keyframe when one is due and its state is at
/// hand, and what happened.
void bksi_recorder_settle(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner);

/// Write down a line of the user's.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bksi_recorder_note(bksi_recorder *recorder, bks_tick tick, const char *text);

/// Close the recording in order, with the ticks that are final and, where the match does not end
/// with them, an event that says why.
void bksi_recorder_finish(bksi_recorder *recorder, const bks_session *session, bksi_runner *runner);

/// Leave the recording as it is, as if the process had been killed.
void bksi_recorder_abandon(bksi_recorder *recorder);

#endif
