// SPDX-License-Identifier: MIT

/// @file game_check.h
/// Check of our own state of a meeting's tick by our game: would the game accept this state from a
/// peer? If not, the games of the other peers could not take our state either. Only the functions
/// of this header change session_game_check.

#ifndef BKSI_GAME_CHECK_H
#define BKSI_GAME_CHECK_H

#include "session/common/common.h"

typedef struct session_game_check {
    bool is_working;  ///< the last operation handed out is a check
    bks_tick tick;    ///< newest tick whose state was checked
    bool has_refused; ///< the game would not take the state of `tick`
} session_game_check;

static inline void bksi_game_check_init(session_game_check *game_check)
{
    game_check->tick = BKS_TICK_NONE;
}

/// Get the check that our owner must do next.
/// @return false if no check is due
static inline bool bksi_game_check_next(session_game_check *game_check,
                                        const session_common *common, bks_op *op)
{
    static const bks_look nothing = {0};
    const bks_tick tick = common->engine.settled.held;
    if (bksi_rollback_waiting(&common->engine) == NULL || game_check->tick == tick ||
        bksi_rollback_is_spoilt(&common->engine, tick)) {
        return false;
    }
    const uint32_t keep = bksi_rollback_find_kept(&common->engine, tick);
    if (keep == BKS_KEEP_NONE) {
        return false;
    }
    game_check->is_working = true;
    *op = (bks_op){.kind = BKS_OP_CHECK, .tick = tick, .keep = keep, .look = &nothing};
    return true;
}

/// Handle the result of a check of our own state.
static inline void bksi_game_check_done(session_game_check *game_check, const bks_op *op,
                                        const bks_op_result *result)
{
    game_check->is_working = false;
    game_check->tick = op->tick;
    game_check->has_refused = result == NULL || result->state_bytes == 0;
}

/// Return true if the game would not take our state of a tick; false if that state was not kept,
/// and so not checked.
static inline bool bksi_game_check_refuses(const session_game_check *game_check, bks_tick tick)
{
    return game_check->tick == tick && game_check->has_refused;
}

#endif
