// SPDX-License-Identifier: MIT

/// @file pace.h
/// Pace of ticks: advantage, stalls, slew, and catching up. Only pace.c changes session_pace; other
/// files use its functions.

#ifndef BKSI_PACE_H
#define BKSI_PACE_H

#include "session/common/common.h"
#include "session/inputs/exchange.h"
#include "session/time/input_delay.h"

/// Maximum number of ticks that a freeze may cost.
#define BKSI_MISSED_TICKS_MAX 1000000u

/// Sums of lags, over the current span and over the whole match.
typedef struct lag_mean {
    double span_sum;
    uint32_t span_count;
    double sum;
    uint64_t count;
    bks_tick newest;
} lag_mean;

/// Progress of a peer's ticks, as far as it is known.
typedef struct session_pace_peer {
    lag_mean local_lag;
    lag_mean remote_lag;
    uint64_t head_ns;  ///< time at which the peer's head last came
    uint64_t back_ns;  ///< time at which the peer's head last came after a freeze
    uint64_t moved_ns; ///< time at which the peer's head last moved
} session_pace_peer;

typedef struct session_pace {
    session_input_delay delay;
    int32_t span_ticks;       ///< ticks of the span so far; negative: it has not begun
    uint32_t short_spans;     ///< short spans still to come
    uint32_t stall_queue;     ///< number of ticks still to be stalled
    uint32_t since_stall;     ///< ticks since the last stall
    uint32_t starved_for;     ///< ticks that passed while we starved
    uint32_t forgotten_ticks; ///< ticks that a freeze cost, which may be caught up
    uint64_t woke_ns;         ///< time at which a freeze or a wait of ours last ended
    bks_tick woke_head;       ///< our head at woke_ns
    double slew;              ///< share by which ticks must be longer
    bool has_slew;            ///< the slew is new, and the clock has not applied it yet
    session_pace_peer peers[BKS_PEERS_MAX];

    // statistics
    double advantage_sum;
    uint64_t advantage_count;
    double advantage_abs_max;
} session_pace;

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
/// Record the lag of an INPUT that came from a peer.
/// @param lag  the peer's head minus the first tick of ours that it lacks
void bksi_pace_heard(session_pace *pace, const session_common *common, uint32_t peer, bks_tick lag);
/// Record the lag of an INPUT that is sent to a peer.
/// @param lag  our head minus the first tick of the peer's that we lack
void bksi_pace_sent(session_pace *pace, uint32_t peer, bks_tick lag);
/// Record that a tick's time has come.
/// @param due  number of ticks due before it
/// @return true if the tick must be stalled
bool bksi_pace_tick(session_pace *pace, const session_common *common, uint32_t due);
/// Record that a tick's time has come while we starve. Raise the delay if that is wanted.
/// @param asked  delay that the budget asks for
/// @return true if the delay was raised
bool bksi_pace_starve(session_pace *pace, const session_common *common, uint32_t asked);
/// Record that our process was frozen, and that the freeze cost `missed` ticks.
void bksi_pace_wake(session_pace *pace, const session_common *common, uint32_t missed);
/// Continue after we starved for `starved_ns`.
void bksi_pace_resume(session_pace *pace, const session_common *common, uint64_t starved_ns);
/// Get the number of ticks to step beyond those that are due.
/// @param due   ticks that are due
/// @param room  most ticks that may be added
uint32_t bksi_pace_catch_up(session_pace *pace, const session_exchange *exchange,
                            const session_common *common, double interval_ns, uint32_t due,
                            uint32_t room);
/// Get a newly chosen slew, once.
/// @param slew  receives the share by which ticks must be longer
/// @return true if there is a new one
bool bksi_pace_take_slew(session_pace *pace, double *slew);

#endif
