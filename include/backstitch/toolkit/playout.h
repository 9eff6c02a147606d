// SPDX-License-Identifier: MIT

/// @file toolkit/playout.h Playout buffer of a receiver that only listens, such as a watcher:
/// decides when each tick of a stream is played. It reads no clock and allocates nothing.
///
/// The delay covers the latest tick of the last ten seconds, and at least of the last eight
/// arrivals. (In ten seconds of 60 Hz that is 99.9 % of all ticks.)
///
/// Thread rule: a buffer belongs to one thread at a time.

#ifndef BACKSTITCH_TOOLKIT_PLAYOUT_H
#define BACKSTITCH_TOOLKIT_PLAYOUT_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of spans whose transit is kept.
#define BKS_PLAYOUT_SPANS 50u

/// Transit of the ticks that arrived within a fifth of a second: the time from their place in the
/// match to their arrival, counted from an unknown zero.
typedef struct bks_playout_span {
    int64_t begin_ns;
    int64_t least_ns;
    int64_t most_ns;
} bks_playout_span;

/// A playout buffer. Read the first five members; only functions change them.
typedef struct bks_playout {
    bks_tick due;    ///< newest tick that is due
    float part;      ///< share of the way from `due` to the next tick, 0..1
    double rate;     ///< speed of playing, 0.98..1.02 of real time
    uint32_t misses; ///< number of times that a due tick had not arrived, so that playing stopped
    bool is_holding; ///< true: playing has stopped until enough has arrived
    bks_tick newest; ///< newest tick that has arrived, BKS_TICK_NONE: none
    uint32_t tick_rate_hz;
    bool has_begun;    ///< true: `begun_ns` is set
    bool was_away;     ///< true: no call came for a while before the next arrival
    uint64_t begun_ns; ///< time of the first call; the times below count from it
    int64_t now_ns;
    int64_t played_ns;   ///< time up to which `position_ns` is advanced
    int64_t position_ns; ///< place in the match that is due now, in time from tick 0
    int64_t slew_ppm;    ///< `rate` less 1, in millionths
    int64_t expected_ns; ///< least delay
    int64_t least_ns;    ///< least transit of the spans that count
    int64_t most_ns;     ///< greatest transit of the spans that count
    uint32_t span_count; ///< number of spans begun so far; the newest are kept
    bks_playout_span spans[BKS_PLAYOUT_SPANS];
} bks_playout;

/// Begin with an empty buffer.
/// @param playout       not NULL
/// @param tick_rate_hz  ticks a second of the match, 1..1000
void bks_playout_begin(bks_playout *playout, uint32_t tick_rate_hz);

/// Set a least delay: how late a tick of this source may arrive even if nothing goes wrong. A
/// source that sends ticks by the second has one second.
/// @param expected_ns  0: as after bks_playout_begin(); more than an hour counts as an hour
void bks_playout_expect(bks_playout *playout, uint64_t expected_ns);

/// Note that a tick and all ticks before it have arrived. Call it before each
/// bks_playout_update(), with the same tick again if nothing arrived, and also while the owner
/// pauses: after a second without a call, the lateness of the next tick is not the stream's fault.
/// @param tick    a tick below an earlier one changes nothing
/// @param now_ns  time by a clock of the owner; a time below an earlier one counts as that
void bks_playout_arrive(bks_playout *playout, bks_tick tick, uint64_t now_ns);

/// Return the tick to begin at so that the delay is right at once, 0 or above.
bks_tick bks_playout_start(const bks_playout *playout);

/// Continue from a tick, as soon as the delay is reached there.
void bks_playout_seek(bks_playout *playout, bks_tick tick);

/// Find the tick that is due: at most four ticks after that of the call before, or, if playing is
/// over two seconds late, the right one at once. Call again at the same time for more ticks.
/// @return playout->due
bks_tick bks_playout_update(bks_playout *playout, uint64_t now_ns);

/// Return the number of ticks that have arrived and are not due yet.
bks_tick bks_playout_depth(const bks_playout *playout);

#ifdef __cplusplus
}
#endif

#endif
