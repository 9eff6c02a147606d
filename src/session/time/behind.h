// SPDX-License-Identifier: MIT

/// @file behind.h
/// Distance to the other peers after a freeze of our process.

#ifndef BKSI_BEHIND_H
#define BKSI_BEHIND_H

#include "session/inputs/exchange.h"
#include "session/time/pace_state.h"

/// Get the ticks by which we are behind the slowest peer that was heard since our freeze ended, at
/// most the ticks that the freeze cost; negative: no peer was heard.
/// @param due  ticks that are due
double bksi_ticks_behind(const session_pace *pace, const session_exchange *exchange,
                         const session_common *common, double interval_ns, uint32_t due);

#endif
