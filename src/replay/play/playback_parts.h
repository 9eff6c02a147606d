// SPDX-License-Identifier: MIT

/// @file playback_parts.h
/// A playback as the files of this folder share it: playback.c creates it, playback_state.c loads
/// and stores states, playback_step.c steps, playback_seek.c goes to a tick, playback_match.c
/// checks whether a game fits a recording, verify.c compares.

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
    bool has_pointers; ///< the state holds raw pointers, so states of the file are not used
    bks_tick tick;
    /// True if the step of `tick` failed. Then the state is not valid until another one is loaded.
    bool has_failed;
    bool is_refused; ///< the game refused a state: there is no valid state until a seek succeeds
    bksi_state_store store;
    bksi_perspective *perspective; ///< perspective of a player; NULL for BKS_PERSPECTIVE_REFERENCE
    bks_playback_counts costs;
    bks_playback_listener listener;
    bks_cues *cues;       ///< collected cues; NULL: none are collected
    bksi_region before;   ///< copy of the state before the last step; empty: no copy is made
    bool is_seeking;      ///< true while a seek steps: these steps are not reported to the listener
    bks_tick before_tick; ///< tick of the state in `before`; BKS_TICK_NONE: none
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    bks_commands commands[BKS_PLAYERS_MAX]; ///< commands of the tick that is stepped
};

/// Load the state at the first tick: call `init` again, or load the recorded state.
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG
bks_status bksi_playback_restart(bks_playback *playback, bks_error *error);

/// Load a keyframe of the file.
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_playback_take_keyframe(bks_playback *playback, uint32_t index, bks_error *error);

/// Find the newest keyframe of the file up to a tick.
/// @return index of the keyframe, UINT32_MAX when none can be loaded
uint32_t bksi_playback_find_keyframe(const bks_playback *playback, bks_tick tick);

/// Report that the game failed at the playback's tick.
/// @return BKS_ERR_GAME
bks_status bksi_playback_failure(const bks_playback *playback, bks_error *error);

/// Read the commands of the present tick and pass them to the runner, for the next step.
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_OUT_OF_MEMORY; BKS_ERR_UNSUPPORTED: a command is above
///         the game's command_bytes_max
bks_status bksi_playback_pass_commands(bks_playback *playback);

/// Store a copy of the current state, if the playback stores states.
/// @param always  true: store the state even if its tick is not a multiple of the spacing
void bksi_playback_keep(bks_playback *playback, bool always);

#endif
