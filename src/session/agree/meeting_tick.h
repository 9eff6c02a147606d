// SPDX-License-Identifier: MIT

/// @file meeting_tick.h
/// In which tick the members of a match can meet.

#ifndef BKSI_MEETING_TICK_H
#define BKSI_MEETING_TICK_H

#include "session/common/common.h"

/// The first of which the host has not sent the last inputs, and a little beyond; the last of the
/// match, where that comes before.
/// @return BKS_TICK_NONE: that one is published already
bks_tick bksi_meeting_tick_choose(const session_common *common);

/// Whether the host can call a meeting there: one that never comes would keep every other from
/// being called.
bool bksi_meeting_tick_can_be(const session_common *common, bks_tick tick);

#endif
