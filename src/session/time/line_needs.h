// SPDX-License-Identifier: MIT

/// @file line_needs.h
/// Input delay that ticks need in lockstep because of the lines to all peers.

#ifndef BKSI_LINE_NEEDS_H
#define BKSI_LINE_NEEDS_H

#include "session/time/pace_state.h"

/// Get the model of the lines to all peers. Packets that were lost while a peer was silent or
/// our process did not run do not count.
session_needs_model bksi_line_needs_model(const session_pace *pace, const session_common *common);
/// Get the input delay with which a tick could be stepped now if no peer were ahead of another. The
/// ticks by which we are ahead of a peer are subtracted, because a longer delay does not reduce our
/// lead; the pace does, unless its policy is `none`. If a peer has our inputs before it needs them,
/// we are ahead of it by that time at least. After a disturbance our lead differs from peer to
/// peer. Otherwise the mean lead counts: a lead over one peer alone comes from a line that is
/// slower in one direction, and remains.
/// @param ticks  number of due ticks before the tick, plus one
uint32_t bksi_line_needs_of_tick(const session_pace *pace, const session_common *common,
                                 uint32_t ticks);

#endif
