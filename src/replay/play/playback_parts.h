// SPDX-License-Identifier: MIT

/// @file playback_parts.h
/// A playback as the files of this room share it: playback.c creates it, playback_state.c takes up
/// and keeps states, playback_step.c steps, playback_frame.c is for pictures, playback_seek.c goes
/// to a tick, playback_match.c says what may be played, verify.c compares.

#ifndef BKSI_PLAYBACK_PARTS_H
#define BKSI_PLAYBACK_PARTS_H

#include "backstitch/replay.h"
#include "backstitch/toolkit/recording.h"
#include "game/runner.h"
#include "replay/play/perspective.h"
#include "replay/play/state_store.h"
#include "replay/read/reader.h"

struct bks_playback {
    bks_allocator allocator;
    bks_replay *replay;
    bksi_runner *runner;
    bks_option_values options;
    bool from_recorded_state;
    bool has_pointers; ///< no state comes from the file
    bks_tick tick;
    bool has_failed; ///< the step of `tick`: the state is of no use until it is another tick's
    bool is_refused; ///< the state to take up was none: it stands nowhere until a seek succeeds
    bksi_state_store store;
    bksi_perspective *perspective; ///< NULL: BKS_PERSPECTIVE_REFERENCE
    bks_playback_counts costs;
    bks_playback_listener listener;
    bks_cues *cues;       ///< NULL: no one listens
    bksi_region before;   ///< the state that was stepped from last; empty: it is not kept
    bool is_seeking;      ///< what it steps is not shown
    bks_tick before_tick; ///< at whose start that is; BKS_TICK_NONE: there is none
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
};

/// Take up the state at the first tick: `init` once more, or the recorded one.
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG
bks_status bksi_playback_restart(bks_playback *playback, bks_error *error);

/// Take up a keyframe.
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_playback_take_keyframe(bks_playback *playback, uint32_t index, bks_error *error);

/// The newest keyframe of the file up to a tick.
/// @return its index, UINT32_MAX when there is none that can be taken up
uint32_t bksi_playback_find_keyframe(const bks_playback *playback, bks_tick tick);

/// The game failed at the playback's tick.
/// @return BKS_ERR_GAME
bks_status bksi_playback_failure(const bks_playback *playback, bks_error *error);

/// Keep the state as it is, if this playback keeps any.
/// @param always  also when the tick is none that is kept for long
void bksi_playback_keep(bks_playback *playback, bool always);

#endif
