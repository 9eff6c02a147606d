// SPDX-License-Identifier: MIT

/// @file perspective.h
/// A playback as one player saw the match. The inputs of other players become known late and are
/// guessed before. Ticks stepped with a wrong guess are stepped again. A perspective drives the
/// rollback engine that live matches run on. The final inputs come from the recording, so a game
/// that behaves differently while it guesses is caught.

#ifndef BKSI_PERSPECTIVE_H
#define BKSI_PERSPECTIVE_H

#include "backstitch/replay.h"
#include "game/runner.h"
#include "replay/read/reader.h"

typedef struct bksi_perspective bksi_perspective;

/// Greatest number of ticks after which a playback learns an input: a few more than a session ever
/// runs ahead of confirmed inputs.
#define BKSI_LATE_TICKS_MAX 250u

/// Check the perspective of a config and work out how many snapshots it needs.
/// BKS_PERSPECTIVE_REFERENCE needs 0.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG when the perspective, the player or config->late_ticks is out
///         of range; BKS_ERR_UNSUPPORTED when recorded rollbacks are too deep
bks_status bksi_perspective_slots(const bks_playback_config *config, uint32_t *out_slots,
                                  bks_error *error);

/// Create a perspective that begins with the runner at the start of tick `first`.
/// @param runner  has bksi_perspective_slots() slots; must outlive the perspective
/// @return BKS_OK; BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (the game's table of
///         votes, see input/votes.h)
bks_status bksi_perspective_create(const bks_playback_config *config, bksi_runner *runner,
                                   bks_tick first, bksi_perspective **out, bks_error *error);
void bksi_perspective_destroy(bksi_perspective *perspective);

/// Set the function that is called before a tick is stepped, also when a rollback steps it again;
/// NULL: none.
void bksi_perspective_listen(bksi_perspective *perspective,
                             void (*begun)(void *context, bks_tick tick), void *context);

/// Roll back if a rollback is due, then step one tick. After the last tick, roll back for the last
/// time.
/// @return BKS_OK; BKS_OVER when all ticks are stepped and final; BKS_ERR_DAMAGED when a tick is
///         lost; BKS_ERR_GAME when a step with final inputs failed
bks_status bksi_perspective_step(bksi_perspective *perspective);

/// Return the tick at whose start the playback's state is.
bks_tick bksi_perspective_tick(const bksi_perspective *perspective);

/// Return the first tick that may still be stepped again.
bks_tick bksi_perspective_confirmed(const bksi_perspective *perspective);

/// Get the hash of the state at the start of a tick up to bksi_perspective_confirmed().
/// @param out_hash  untouched on failure
/// @return false when the tick is too old; ticks that became final in the last step are never too
///         old
bool bksi_perspective_hash(const bksi_perspective *perspective, bks_tick tick, uint64_t *out_hash);

/// Get the number of steps, including repeated ones, and the number of rollbacks.
void bksi_perspective_count(const bksi_perspective *perspective, uint64_t *steps,
                            uint64_t *rollbacks);

#endif
