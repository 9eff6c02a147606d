// SPDX-License-Identifier: MIT

/// @file toolkit/playout.h
/// Playout buffer of a receiver that only listens, such as a watcher: decides when each tick of a
/// stream is played. It reads no clock and allocates nothing.
///
/// The delay is long enough for the latest tick of the last ten seconds, and of the last eight
/// spans of arrivals if these took longer. At 60 Hz the latest of the 600 ticks in ten seconds is
/// about the 99.9th percentile.
///
/// Thread rule: a buffer belongs to one thread at a time.

#ifndef BACKSTITCH_TOOLKIT_PLAYOUT_H
#define BACKSTITCH_TOOLKIT_PLAYOUT_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of spans (fifths of a second with arrivals) whose transit is kept.
#define BKS_PLAYOUT_SPANS 50u

/// Transit of the ticks that arrived within a fifth of a second. The transit of a tick is the time
/// of its arrival less its time in the match. Only differences of transits mean something.
typedef struct bks_playout_span {
    int64_t begin_ns; ///< time of the first arrival in the span
    int64_t least_ns; ///< least transit
    int64_t most_ns;  ///< greatest transit
} bks_playout_span;

/// A playout buffer. Read the first five members; only functions change them.
typedef struct bks_playout {
    bks_tick due;          ///< newest tick that is due
    float part;            ///< share of the way from `due` to the next tick, 0..1
    double rate;           ///< speed of playing, 0.98..1.02 of real time
    uint32_t misses;       ///< number of misses: a due tick had not arrived, so playing stopped
    bool is_holding;       ///< true: playing has stopped until the delay is reached
    bks_tick newest;       ///< newest tick that has arrived, BKS_TICK_NONE: none
    uint32_t tick_rate_hz; ///< ticks a second of the match
    bool has_begun;        ///< true: `begun_ns` is set
    bool was_away;         ///< true: since the last arrival, no call came for over a second
    uint64_t begun_ns;     ///< time of the first call; the times below count from it
    int64_t now_ns;        ///< greatest time of any call
    int64_t played_ns;     ///< time up to which `position_ns` is advanced
    int64_t position_ns;   ///< place in the match that is due now, in time from tick 0
    int64_t slew_ppm;      ///< deviation of `rate` from 1, in millionths
    int64_t expected_ns;   ///< least delay, set by bks_playout_expect()
    int64_t least_ns;      ///< least transit of the newest spans, from which the delay is computed
    int64_t most_ns;       ///< greatest transit of these spans
    uint32_t span_count;   ///< number of spans begun so far; the newest are kept
    bks_playout_span spans[BKS_PLAYOUT_SPANS]; ///< ring of the newest spans
} bks_playout;

/// Begin with an empty buffer.
/// @param playout       not NULL
/// @param tick_rate_hz  ticks a second of the match, 1..1000
void bks_playout_begin(bks_playout *playout, uint32_t tick_rate_hz);

/// Set a least delay: the time by which ticks of this source are late even if nothing goes wrong.
/// For a source that sends the ticks of each second together it is one second.
/// @param expected_ns  least delay in ns; 0 (initially): none; more than an hour counts as an hour
void bks_playout_expect(bks_playout *playout, uint64_t expected_ns);

/// Note that a tick and all ticks before it have arrived. Call it before each bks_playout_update(),
/// with the same tick again if nothing arrived, and also while the owner pauses: after a second
/// without a call, ticks may seem late because they were not noted at once.
/// @param tick    newest tick; a tick before that of an earlier call changes nothing
/// @param now_ns  time by any clock; a time before that of an earlier call is replaced by it
void bks_playout_arrive(bks_playout *playout, bks_tick tick, uint64_t now_ns);

/// Return the tick to begin at so that the delay is right at once, 0 or above; 0 before a tick has
/// arrived.
bks_tick bks_playout_start(const bks_playout *playout);

/// Continue from a tick as soon as the delay allows it: when the ticks after it will probably
/// arrive before they are due.
/// @param tick  tick that is due until then; below 0 it counts as 0
void bks_playout_seek(bks_playout *playout, bks_tick tick);

/// Find the tick that is due. It is at most four ticks after the result of the previous call,
/// unless playing is over two seconds late: then the result jumps to the tick that is due. More
/// ticks may be due at the same time, so call again if the owner has time for them.
/// @return playout->due
bks_tick bks_playout_update(bks_playout *playout, uint64_t now_ns);

/// Return the number of ticks that have arrived and are not due yet.
bks_tick bks_playout_depth(const bks_playout *playout);

#ifdef __cplusplus
}
#endif

#endif
