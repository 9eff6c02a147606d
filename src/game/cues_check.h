// SPDX-License-Identifier: MIT

/// @file cues_check.h
/// What the configs of a peer and a playback ask of `cues_per_tick`.

#ifndef BKSI_CUES_CHECK_H
#define BKSI_CUES_CHECK_H

#include "backstitch/present.h"

/// Whether a config's cues_per_tick is in its range and the game names cues; 0 always goes.
/// @param call   under which a fault is logged
/// @param error  may be NULL; its field is "cues_per_tick"
/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_cues_per_tick_check(const bks_game *game, uint32_t cues_per_tick, const char *call,
                                    bks_error *error);

#endif
