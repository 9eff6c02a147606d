// SPDX-License-Identifier: MIT

/// @file replay_check.h
/// A recording that is played in place of devices: where a match's inputs and answers come from,
/// and the hashes its states are compared with.

#ifndef BKSI_REPLAY_CHECK_H
#define BKSI_REPLAY_CHECK_H

#include "backstitch/match.h"
#include "backstitch/replay.h"
#include "backstitch/toolkit/peer.h"

typedef struct bksi_replay_check {
    bks_allocator allocator;
    bks_replay *replay; ///< NULL: none is played
    uint8_t *bytes;     ///< of the file
    size_t count;
    uint8_t *state; ///< at its first tick; NULL: as `init` makes it
    size_t state_bytes;
    bks_replay_player players[BKS_PLAYERS_MAX];
    bks_tick compared; ///< hashes up to there
    bool has_differed;
} bksi_replay_check;

/// Open what config->play_path names and put into the config what is in it; NULL is none.
/// `check` must stay where it is.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG, BKS_ERR_IO, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_UNSUPPORTED,
///         BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (close it then as well)
bks_status bksi_replay_check_open(bksi_replay_check *check, bks_match_config *config,
                                  bks_error *error);

/// Close it. None is allowed.
void bksi_replay_check_close(bksi_replay_check *check);

/// Ticks a second as recorded, 0 when none is played.
uint32_t bksi_replay_check_tick_rate_hz(const bksi_replay_check *check);

/// Compare the hashes that became final since the last time.
/// @param event  receives BKS_EVENT_DESYNC
/// @return whether a state differs, for the first one only
bool bksi_replay_check_compare(bksi_replay_check *check, const bks_session *session,
                               bks_event *event);

#endif
