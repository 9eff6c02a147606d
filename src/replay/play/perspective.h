// SPDX-License-Identifier: MIT

/// @file perspective.h
/// A playback as one player saw the match: the others' inputs are known late, guessed until then,
/// and what was stepped with a wrong guess is stepped again. It drives the rollback engine that
/// live matches run on. The truth comes from the recording, so a game that behaves differently
/// while it guesses is caught.

#ifndef BKSI_PERSPECTIVE_H
#define BKSI_PERSPECTIVE_H

#include "backstitch/replay.h"
#include "game/runner.h"
#include "replay/read/reader.h"

typedef struct bksi_perspective bksi_perspective;

/// Most ticks that inputs may be late, which is most that a session runs ahead, and some more.
#define BKSI_LATE_TICKS_MAX 250u

/// Snapshots that a perspective needs; 0: the reference needs none of this.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG when the perspective, the player or the lateness is none;
///         BKS_ERR_UNSUPPORTED when rollbacks are deeper than can be
bks_status bksi_perspective_slots(const bks_playback_config *config, uint32_t *out_slots,
                                  bks_error *error);

/// Begin with the runner at the start of a tick.
/// @param runner  with bksi_perspective_slots() slots; must outlive this
/// @return BKS_OK; BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (the game's votes)
bks_status bksi_perspective_create(const bks_playback_config *config, bksi_runner *runner,
                                   bks_tick first, bksi_perspective **out, bks_error *error);
void bksi_perspective_destroy(bksi_perspective *perspective);

/// Roll back if that is due, then step one tick; behind the last one, roll back for good.
/// @return BKS_OK; BKS_OVER when all is stepped and final; BKS_ERR_DAMAGED when a tick is lost;
///         BKS_ERR_GAME when a step failed that is final
bks_status bksi_perspective_step(bksi_perspective *perspective);

/// The state is at the start of this tick.
bks_tick bksi_perspective_tick(const bksi_perspective *perspective);

/// No tick before this one will be stepped again.
bks_tick bksi_perspective_confirmed(const bksi_perspective *perspective);

/// Hash of the state at the start of a tick up to bksi_perspective_confirmed().
/// @param out_hash  untouched on failure
/// @return false when the tick is too old: those that the last step made final are there
bool bksi_perspective_hash(const bksi_perspective *perspective, bks_tick tick, uint64_t *out_hash);

/// Ticks stepped, again and again included, and rollbacks.
void bksi_perspective_count(const bksi_perspective *perspective, uint64_t *steps,
                            uint64_t *rollbacks);

#endif
