// SPDX-License-Identifier: MIT

/// @file repairs.h
/// Which states of which peers were repaired. repairs.c alone writes this; others ask.

#ifndef BKSI_REPAIRS_H
#define BKSI_REPAIRS_H

#include "session/common/events.h"

typedef struct session_repairs {
    bks_repair kept[BKS_REPAIRS_MAX]; ///< by number of the repair modulo BKS_REPAIRS_MAX
    uint64_t count;                   ///< since the match began
} session_repairs;

/// A repair is done: say so.
void bksi_repairs_add(session_repairs *repairs, session_events *events, const bks_repair *repair);

#endif
