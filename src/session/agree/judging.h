// SPDX-License-Identifier: MIT

/// @file judging.h
/// Whether our own state of the tick that the members meet in is one that the game would take from
/// a peer. If it is not, no other could take it either. judging.c alone writes this.

#ifndef BKSI_JUDGING_H
#define BKSI_JUDGING_H

#include "session/common/common.h"

typedef struct session_judging {
    bool is_working;  ///< the owner does what was handed out last
    bks_tick tick;    ///< the newest that was judged
    bool has_refused; ///< the game would not take that state
} session_judging;

static inline void bksi_judging_init(session_judging *judging)
{
    judging->tick = BKS_TICK_NONE;
}

/// What the owner of the state must do next.
/// @return false: nothing
bool bksi_judging_next(session_judging *judging, const session_common *common, bks_op *op);
/// Whether that is what it has done now; then take it.
static inline bool bksi_judging_works(const session_judging *judging)
{
    return judging->is_working;
}
void bksi_judging_done(session_judging *judging, const bks_op *op, const bks_op_result *result);

/// Whether the game would not take our state of a tick. One that was not kept is not judged.
static inline bool bksi_judging_refuses(const session_judging *judging, bks_tick tick)
{
    return judging->tick == tick && judging->has_refused;
}

#endif
