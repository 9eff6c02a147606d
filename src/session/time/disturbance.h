// SPDX-License-Identifier: MIT

/// @file disturbance.h
/// Whatever makes ticks late although the lines do not: a peer that is not heard or that itself
/// waits, a path that changes, a slow machine, our own freeze, a repair.

#ifndef BKSI_DISTURBANCE_H
#define BKSI_DISTURBANCE_H

#include "session/time/pace_state.h"

/// Time without inputs from a peer after which we assume a freeze of its program.
#define FREEZE_NS (200 * NS_PER_MS)

/// Return true if no input of a peer has come for so long that the peer may have frozen.
bool bksi_disturbance_is_silent(const session_pace *pace, const session_common *common,
                                uint32_t index);
/// Return true if, as far as we know, a tick is late only because of the lines: new inputs of all
/// peers arrive, no machine is too slow, and no repair holds us up.
bool bksi_disturbance_is_absent(const session_pace *pace, const session_common *common);
/// Return true if a disturbance lasts longer than losses explain, so that needs from before it say
/// nothing of the time after it.
bool bksi_disturbance_is_lasting(const session_pace *pace, const session_common *common);
/// Find the peers whose inputs come by detours, as bits.
uint32_t bksi_disturbance_detours(const session_pace *pace, const session_common *common);

#endif
