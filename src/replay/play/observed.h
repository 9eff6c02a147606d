// SPDX-License-Identifier: MIT

/// @file observed.h
/// A playback as one player saw the match: the others' inputs are known late, guessed until then,
/// and what was stepped with a wrong guess is stepped again. The truth comes from the recording, so
/// a game that behaves otherwise while it guesses is caught.

#ifndef BKSI_OBSERVED_H
#define BKSI_OBSERVED_H

#include "backstitch/playback.h"
#include "game/runner.h"
#include "input/timeline.h"
#include "replay/read/replay_reader.h"

typedef struct bksi_observed bksi_observed;

/// Most ticks that inputs may be late, which is most that a session runs ahead, and some more.
#define BKSI_LATE_TICKS_MAX 250u

/// Snapshots that a replay's perspective needs.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG when the perspective, the player or the lateness is none;
///         BKS_ERR_UNSUPPORTED when rollbacks are deeper than can be
bks_status bksi_observed_slots(const bks_playback_config *config, uint32_t *out_slots,
                               bks_error *error);

/// Begin with the runner at the start of a tick.
/// @param runner  with bksi_observed_slots() slots; must outlive this
/// @return BKS_OK; BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (the game's votes)
bks_status bksi_observed_create(const bks_playback_config *config, bksi_runner *runner,
                                bks_tick first, bksi_observed **out, bks_error *error);
void bksi_observed_destroy(bksi_observed *observed);

/// Roll back if that is due, then step one tick; behind the last one, roll back for good.
/// @return BKS_OK; BKS_OVER when all is stepped and final; BKS_ERR_DAMAGED when a tick is lost
bks_status bksi_observed_step(bksi_observed *observed);

/// The state is at the start of this tick.
bks_tick bksi_observed_tick(const bksi_observed *observed);

/// No tick before this one will be stepped again.
bks_tick bksi_observed_confirmed(const bksi_observed *observed);

/// Hash of the state at the start of a tick up to bksi_observed_confirmed(), one of the newest.
uint64_t bksi_observed_hash(const bksi_observed *observed, bks_tick tick);

/// Ticks stepped, again and again included, and rollbacks.
void bksi_observed_count(const bksi_observed *observed, uint64_t *steps, uint64_t *rollbacks);

#endif
