// SPDX-License-Identifier: MIT

/// @file pace.h
/// Advantage, stalls, slew, catching up. pace.c alone writes this; others ask.

#ifndef BKSI_PACE_H
#define BKSI_PACE_H

#include "session/common/common.h"
#include "session/inputs/exchange.h"
#include "session/time/input_delay.h"

/// Most ticks that a freeze may cost.
#define BKSI_MISSED_TICKS_MAX 1000000u

/// A running sum of lags over the span, and over all.
typedef struct lag_mean {
    double span_sum;
    uint32_t span_count;
    double sum;
    uint64_t count;
    bks_tick newest;
} lag_mean;

/// How a peer's ticks go, as far as we know.
typedef struct session_pace_peer {
    lag_mean local_lag;
    lag_mean remote_lag;
    uint64_t head_ns;  ///< when its head last came
    uint64_t back_ns;  ///< when one last came after as long without as a freeze takes
    uint64_t moved_ns; ///< when it last was another than before
} session_pace_peer;

typedef struct session_pace {
    session_input_delay delay;
    int32_t span_ticks;       ///< of the span that is averaged over; negative: before it begins
    uint32_t short_spans;     ///< still to come
    uint32_t stall_queue;     ///< ticks to pass on purpose
    uint32_t since_stall;     ///< ticks
    uint32_t starved_for;     ///< ticks passed since the one that could not be stepped
    uint32_t forgotten_ticks; ///< time that a freeze cost, which may be caught up
    uint64_t woke_ns;         ///< when we last stood still
    bks_tick woke_head;       ///< our head until then
    double slew;              ///< ticks must be longer by this share
    bool has_slew;            ///< chosen anew, the clock has not taken it yet
    session_pace_peer peers[BKS_PEERS_MAX];

    // statistics
    double advantage_sum;
    uint64_t advantage_count;
    double advantage_abs_max;
} session_pace;

/// The configured delay, until the match starts.
void bksi_pace_init(session_pace *pace, const session_common *common);
/// The config has another delay, or another pace.
void bksi_pace_retune(session_pace *pace, const session_common *common);
/// First delay and first span, when the match starts.
void bksi_pace_start(session_pace *pace, const session_common *common);
/// A peer's head came, which we knew up to another.
void bksi_pace_head(session_pace *pace, const session_common *common, uint32_t peer, bks_tick known,
                    bks_tick head);
/// An INPUT came, or goes to a peer that we hear: how far its sender's head is before what it knows
/// of the other's.
void bksi_pace_heard(session_pace *pace, const session_common *common, uint32_t peer, bks_tick lag);
void bksi_pace_sent(session_pace *pace, uint32_t peer, bks_tick lag);
/// A tick's time has come, with `due` before it.
/// @return whether to pass it: a stall
bool bksi_pace_tick(session_pace *pace, const session_common *common, uint32_t due);
/// Another tick's time has come while we starve. Raises the delay if that is wanted.
/// @param asked  the delay that the budget asks for
/// @return whether it did
bool bksi_pace_starve(session_pace *pace, const session_common *common, uint32_t asked);
/// We stood still, which cost `missed` ticks, and continue.
void bksi_pace_wake(session_pace *pace, const session_common *common, uint32_t missed);
/// We starve no more.
void bksi_pace_resume(session_pace *pace, const session_common *common, uint64_t starved_ns);
/// Ticks to step beyond those due.
/// @param due   ticks that are due
/// @param room  most that may be added
uint32_t bksi_pace_catch_up(session_pace *pace, const session_exchange *exchange,
                            const session_common *common, double interval_ns, uint32_t due,
                            uint32_t room);
/// @return whether ticks must be longer from now on by another share
bool bksi_pace_take_slew(session_pace *pace, double *slew);

#endif
