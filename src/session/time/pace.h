// SPDX-License-Identifier: MIT

/// @file pace.h
/// Pace of ticks: advantage, stalls, slew, and catching up. Only pace.c changes session_pace; other
/// files use its functions.

#ifndef BKSI_PACE_H
#define BKSI_PACE_H

#include "session/inputs/exchange.h"
#include "session/time/pace_state.h"

/// Maximum number of ticks that a freeze may cost.
#define BKSI_MISSED_TICKS_MAX 1000000u

/// Set the configured delay. It holds until the match starts.
void bksi_pace_init(session_pace *pace, const session_common *common);
/// Apply a newly configured delay or pace.
void bksi_pace_retune(session_pace *pace, const session_common *common);
/// Choose the first delay and begin the first span, at the start of the match.
void bksi_pace_start(session_pace *pace, const session_common *common);
/// Record a peer's head from a message, and the time at which it came.
/// @param known  head that was known before the message
void bksi_pace_head(session_pace *pace, const session_common *common, uint32_t peer, bks_tick known,
                    bks_tick head);
/// Note that we passed on a packet of a peer to another.
void bksi_pace_carried(session_pace *pace, const session_common *common);
/// Record the lag of an INPUT that came from a peer.
/// @param lag  the peer's head minus the first tick of ours that it lacks
void bksi_pace_heard(session_pace *pace, const session_common *common, uint32_t peer, bks_tick lag);
/// Record the lag of an INPUT that is sent to a peer.
/// @param lag  our head minus the first tick of the peer's that we lack
void bksi_pace_sent(session_pace *pace, const session_common *common, uint32_t peer, bks_tick lag);
/// Record that a tick's time has come.
/// @param due  number of ticks due before this tick
/// @return true if the tick must be stalled
bool bksi_pace_tick(session_pace *pace, const session_common *common, uint32_t due);
/// Record that a tick's time has come while we starve. Raise the delay if that is wanted.
/// @param asked  delay that the budget asks for
/// @return true if the delay was raised
bool bksi_pace_starve(session_pace *pace, const session_common *common, uint32_t asked);
/// Note whether ticks are longer for a slow machine. While they are, no needs are counted, because
/// the lines may not be the cause of late inputs.
void bksi_pace_note_stretch(session_pace *pace, bool is_stretched);
/// Change the input delay by a tick if that is wanted.
/// @param asked  delay that the budget asks for
/// @param steps  receives the number of ticks to step in addition to the due ones
/// @return true if the due tick is only sampled
bool bksi_pace_change_delay(session_pace *pace, const session_common *common, uint32_t asked,
                            uint32_t *steps);
/// Note that our process was frozen, and that the freeze cost `missed` ticks.
void bksi_pace_wake(session_pace *pace, const session_common *common, uint32_t missed);
/// Continue after we starved for `starved_ns`.
/// @return true if our ticks were sampled while we waited, so their times need not move
bool bksi_pace_resume(session_pace *pace, const session_common *common, uint64_t starved_ns);
/// Measure anew, because a pause has ended or the speed has changed. Lost time is not caught up.
void bksi_pace_change_speed(session_pace *pace, const session_common *common);
/// Get the number of ticks to step beyond those that are due.
/// @param due   ticks that are due
/// @param room  most ticks that may be added
uint32_t bksi_pace_catch_up(session_pace *pace, const session_exchange *exchange,
                            const session_common *common, double interval_ns, uint32_t due,
                            uint32_t room);
/// Get a newly chosen slew; each is returned once.
/// @param slew  receives the share by which ticks must be longer
/// @return true if there is a new slew
bool bksi_pace_take_slew(session_pace *pace, double *slew);

#endif
