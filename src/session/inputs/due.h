// SPDX-License-Identifier: MIT

/// @file due.h
/// When packets with inputs go to each peer: with the ticks, as often as the line to it carries.
/// due.c alone writes this.

#ifndef BKSI_DUE_H
#define BKSI_DUE_H

#include "session/inputs/liveness.h"
#include "session/inputs/ways.h"

typedef struct session_due {
    uint64_t went_ns;                ///< when packets could last go
    uint64_t from_ns;                ///< the next ones may go from here on
    uint64_t peer_ns[BKS_PEERS_MAX]; ///< by peer: when an INPUT last went to it
} session_due;

/// The match begins: rates of lines begin.
void bksi_due_start(session_common *common);
/// Whether packets go in this update.
/// @param tick_passed  a tick's time came
bool bksi_due_begin(session_due *due, const session_common *common, bool tick_passed);
/// Bits of the peers that an INPUT goes to then. Reports lines that are too narrow.
uint32_t bksi_due_inputs(session_due *due, session_common *common, const session_liveness *liveness,
                         const session_ways *ways);

/// When packets go at the latest, whatever the ticks.
static inline uint64_t bksi_due_wake(const session_due *due)
{
    return due->went_ns + SEND_GAP_MAX_NS;
}

#endif
