// SPDX-License-Identifier: MIT

/// @file state_guard.h Notices that the state is written between two updates, as by a cast of
/// bks_match_state(). Such a write is lost at the next rollback, and no other peer makes it.

#ifndef BKSI_STATE_GUARD_H
#define BKSI_STATE_GUARD_H

#include "backstitch/game.h"

/// Hash of the first bytes of the state at the end of an update.
typedef struct bksi_state_guard {
    size_t bytes; ///< number of bytes to hash, 0: none
    uint64_t hash;
    bool has_hash;
} bksi_state_guard;

/// Begin for a game. States that the game keeps itself are not looked at.
void bksi_state_guard_begin(bksi_state_guard *guard, const bks_game *game);

/// Compare the state with that at the end of the last update. The first difference is logged.
/// @param state  the state, NULL: there is none yet
void bksi_state_guard_check(bksi_state_guard *guard, const void *state);

/// Note the state at the end of an update.
void bksi_state_guard_note(bksi_state_guard *guard, const void *state);

#endif
