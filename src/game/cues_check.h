// SPDX-License-Identifier: MIT

/// @file cues_check.h
/// Check of `cues_per_tick` in the configs of a peer and a playback.

#ifndef BKSI_CUES_CHECK_H
#define BKSI_CUES_CHECK_H

#include "backstitch/present.h"

/// Check that cues_per_tick is in its range and that the game has cues; 0 is always allowed.
/// @param call   id under which an error is logged
/// @param error  may be NULL; its field is "cues_per_tick"
/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_cues_per_tick_check(const bks_game *game, uint32_t cues_per_tick, const char *call,
                                    bks_error *error);

/// Return the function that takes the cues of a game for which nothing collects them: one that logs
/// the first cue in this process if the game names none in bks_game.cues, NULL for other games.
bool (*bksi_cues_unnamed(const bks_game *game))(struct bks_cues *cues, uint32_t id, uint64_t key,
                                                const void *payload, size_t bytes);

#endif
