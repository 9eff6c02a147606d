// SPDX-License-Identifier: MIT

/// @file pace_state.h
/// State of the pace. Only pace.c changes session_pace.

#ifndef BKSI_PACE_STATE_H
#define BKSI_PACE_STATE_H

#include "session/common/common.h"
#include "session/time/input_delay.h"

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
    double ahead;         ///< advantage over the peer, as `ahead` of session_pace
    uint64_t head_ns;     ///< time at which a head of the peer last arrived
    uint64_t back_ns;     ///< time at which a head of the peer first arrived after a freeze
    uint64_t moved_ns;    ///< time at which the peer's head last moved
    uint64_t detour_ns;   ///< time at which a head of the peer last came by a detour
    uint64_t lost;        ///< packets of the peer that were missing when a head last arrived
    uint64_t silent_lost; ///< packets lost while the peer was silent, not by its line
    double gap_ns; ///< smoothed time between two messages with a head of the peer; 0: not known
} session_pace_peer;

typedef struct session_pace {
    session_input_delay delay;
    double tick_ns; ///< duration of a tick, at the speed of the match
    /// Ticks of the current span so far; negative: ticks until the span begins.
    int32_t span_ticks;
    bool is_recovering; ///< ticks and lags are still affected by a freeze
    double ahead;       ///< advantage of the last span in ticks, minus ticks given up since
    /// Bits: peers whose heads come by detours; our own bit: we carry packets between others.
    uint32_t detours;
    uint64_t carried_ns;      ///< time at which we last carried a packet
    bool is_stretched;        ///< ticks are longer for a slow machine
    uint32_t short_spans;     ///< short spans still to come
    uint32_t stall_queue;     ///< number of ticks still to be stalled
    uint32_t since_stall;     ///< ticks since the last stall
    uint32_t waited_ticks;    ///< ticks that passed in the present wait, except those only sampled
    uint32_t forgotten_ticks; ///< ticks that a freeze cost, which may be caught up
    uint64_t woke_ns;         ///< time at which a freeze or a wait of ours last ended
    bks_tick woke_head;       ///< our head at woke_ns
    double slew;              ///< share by which ticks must be longer
    bool has_slew;            ///< the slew is new, and the clock has not applied it yet
    session_pace_peer peers[BKS_PEERS_MAX];

    // for the statistics: advantages at the ends of spans
    double advantage_sum;
    uint64_t advantage_count;
    double advantage_abs_max;
} session_pace;

#endif
