// SPDX-License-Identifier: MIT

/// @file ending.h
/// The tick at which a match ends before its time, since states differ. The host of the view
/// decides it; no member steps beyond it, however late it hears of it. ending.c alone writes this;
/// others ask.

#ifndef BKSI_ENDING_H
#define BKSI_ENDING_H

#include "rollback/engine.h"
#include "session/common/events.h"
#include "session/common/seats.h"

typedef struct session_ending {
    bks_tick tick; ///< the match ends before it; 0: not before its time
} session_ending;

/// We are the host: the match is to end as soon as all can, unless it ends before that anyway.
void bksi_ending_decide(session_ending *ending, const session_seats *seats, session_events *events,
                        bksi_rollback *engine);
/// One that may say so says where the match ends.
/// @param tick  0: it said nothing
/// @return false when that cannot be
bool bksi_ending_take(session_ending *ending, const session_seats *seats, session_events *events,
                      bksi_rollback *engine, uint32_t from, bks_tick tick);

#endif
