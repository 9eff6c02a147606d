// SPDX-License-Identifier: MIT

/// @file disturbance.h
/// Disturbances: causes of late ticks other than the usual state of the lines. Examples are a peer
/// that is silent or itself waits, a path that changes, a slow machine, our own freeze, a repair.

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
/// Return true if a peer stands still, perhaps because it waits for a third one. Of two peers, one
/// stands still only because it waits for the other, so the line is the cause.
bool bksi_disturbance_is_of_others(const session_pace *pace, const session_common *common);
/// Return true if a disturbance lasts longer than losses explain. Then the needs of ticks (needs.h)
/// from before it do not predict those after it.
bool bksi_disturbance_is_lasting(const session_pace *pace, const session_common *common);
/// Find the peers whose inputs come by detours, as bits. Our own bit says that we carry packets
/// between others: their inputs take longer to each other, so they wait, and we wait for them.
uint32_t bksi_disturbance_detours(const session_pace *pace, const session_common *common);

#endif
