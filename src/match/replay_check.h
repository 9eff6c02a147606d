// SPDX-License-Identifier: MIT

/// @file replay_check.h
/// Recording that a match plays. It provides the inputs, the facts (answers to bks_ask()), and the
/// hashes with which the match compares its states.

#ifndef BKSI_REPLAY_CHECK_H
#define BKSI_REPLAY_CHECK_H

#include "backstitch/match.h"
#include "backstitch/replay.h"
#include "backstitch/toolkit/peer.h"

typedef struct bksi_replay_check {
    bks_allocator allocator;
    bks_replay *replay; ///< reader of the recording; NULL: no recording is played
    uint8_t *bytes;     ///< bytes of the recording's file
    size_t count;
    uint8_t *state; ///< state at the recording's first tick; NULL: the state is as `init` makes it
    size_t state_bytes;
    bks_replay_player players[BKS_PLAYERS_MAX];
    bks_tick compared; ///< tick up to which hashes have been compared
    bool has_differed;
} bksi_replay_check;

/// Open the recording at config->play_path and change the config to play it; do nothing if the path
/// is NULL. `check` must not move afterwards.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG, BKS_ERR_IO, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_UNSUPPORTED,
///         BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (the recording must be closed after a failure too)
bks_status bksi_replay_check_open(bksi_replay_check *check, bks_match_config *config,
                                  bks_error *error);

/// Close the recording, if there is one.
void bksi_replay_check_close(bksi_replay_check *check);

/// Get the recorded tick rate; 0: no recording is played.
uint32_t bksi_replay_check_tick_rate_hz(const bksi_replay_check *check);

/// Compare the hashes that became final since the last call.
/// @param event  receives BKS_EVENT_DESYNC
/// @return true once, when the first state that differs is found; otherwise false
bool bksi_replay_check_compare(bksi_replay_check *check, const bks_session *session,
                               bks_event *event);

#endif
