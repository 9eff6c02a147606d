// SPDX-License-Identifier: MIT

/// @file evenness.h
/// Statistics of how evenly ticks are stepped: hitches, times between ticks, gaps between stalls.
/// Only evenness.c changes session_evenness; other files use its functions.

#ifndef BKSI_EVENNESS_H
#define BKSI_EVENNESS_H

#include "session/common/common.h"

/// Number of buckets for times between two ticks.
#define BKSI_INTERVAL_BUCKETS 128u

typedef struct session_evenness {
    uint64_t hitches;      ///< number of waits for inputs or for a repair, after the first step
    uint64_t hitch_ns_max; ///< longest hitch

    bool has_stepped;
    uint64_t stepped_ns;                     ///< time of the newest step
    uint64_t intervals;                      ///< number of intervals between two ticks
    uint64_t interval_ns_max;                ///< longest interval
    uint32_t buckets[BKSI_INTERVAL_BUCKETS]; ///< number of intervals of each length

    bool has_stalled;
    bks_tick stalled_at; ///< tick of the newest stall
    uint64_t gaps;       ///< number of gaps between two stalls
    uint64_t gap_sum;    ///< ticks in all gaps between stalls
    uint32_t gap_least;  ///< ticks in the shortest gap between stalls
} session_evenness;

/// Note that a hitch begins.
void bksi_evenness_begin_hitch(session_evenness *evenness);
/// Note that a hitch of `hitch_ns` has ended.
void bksi_evenness_end_hitch(session_evenness *evenness, uint64_t hitch_ns);
/// Note that a new tick was stepped.
void bksi_evenness_step(session_evenness *evenness, const session_common *common);
/// Do not count the time until the next step, because the match was paused.
void bksi_evenness_skip(session_evenness *evenness);
/// Note that a due tick was skipped on purpose, so that others catch up.
void bksi_evenness_stall(session_evenness *evenness, const session_common *common);
/// Fill in the statistics.
void bksi_evenness_write(const session_evenness *evenness, const session_common *common,
                         bks_stats *out);

#endif
