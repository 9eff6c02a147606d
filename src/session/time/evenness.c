// SPDX-License-Identifier: MIT

#include "session/time/evenness.h"

/// Buckets of equal width up to FINE_TICKS ticks, then PER_OCTAVE buckets for each doubling of the
/// length.
#define PER_TICK   16u
#define FINE_TICKS 4u
#define FINE       (PER_TICK * FINE_TICKS)
#define PER_OCTAVE 8u
#define GROWTH     1.0905077326652577 // ratio of neighbouring buckets: 2^(1 / PER_OCTAVE)
#define NS_TO_MS   1e-6

void bksi_evenness_begin_hitch(session_evenness *evenness)
{
    evenness->hitches += evenness->has_stepped ? 1 : 0;
}

void bksi_evenness_end_hitch(session_evenness *evenness, uint64_t hitch_ns)
{
    const bool is_longest = evenness->has_stepped && hitch_ns > evenness->hitch_ns_max;
    evenness->hitch_ns_max = is_longest ? hitch_ns : evenness->hitch_ns_max;
}

/// Get the length that stands for all lengths of a bucket, in ticks: its middle up to FINE_TICKS,
/// where each whole number of ticks is the middle of a bucket; beyond that its upper end.
static double length_of(uint32_t bucket)
{
    double ticks = (double)(bucket < FINE ? bucket : FINE) / PER_TICK;
    for (uint32_t i = FINE; i < bucket; i++) {
        ticks *= GROWTH;
    }
    return ticks;
}

static uint32_t bucket_of(double ticks)
{
    if (ticks < FINE_TICKS) {
        return (uint32_t)(ticks * PER_TICK + 0.5);
    }
    uint32_t bucket = FINE;
    for (double most = FINE_TICKS; most < ticks && bucket < BKSI_INTERVAL_BUCKETS - 1; bucket++) {
        most *= GROWTH;
    }
    return bucket;
}

void bksi_evenness_step(session_evenness *evenness, const session_common *common)
{
    if (evenness->has_stepped) {
        const uint64_t ns = common->now_ns - evenness->stepped_ns;
        evenness->buckets[bucket_of((double)ns / bksi_common_tick_ns(common))]++;
        evenness->intervals++;
        evenness->interval_ns_max = ns > evenness->interval_ns_max ? ns : evenness->interval_ns_max;
    }
    evenness->has_stepped = true;
    evenness->stepped_ns = common->now_ns;
}

void bksi_evenness_skip(session_evenness *evenness)
{
    evenness->has_stepped = false;
}

void bksi_evenness_stall(session_evenness *evenness, const session_common *common)
{
    const bks_tick now = bksi_rollback_front(&common->engine);
    if (evenness->has_stalled) {
        const uint32_t gap = (uint32_t)(now - evenness->stalled_at);
        evenness->gap_least =
            evenness->gaps == 0 || gap < evenness->gap_least ? gap : evenness->gap_least;
        evenness->gap_sum += gap;
        evenness->gaps++;
    }
    evenness->has_stalled = true;
    evenness->stalled_at = now;
}

/// Get the time in ms below which the given share of the intervals between two ticks lies.
static double percentile_ms(const session_evenness *evenness, const session_common *common,
                            double share)
{
    const double max_ms = (double)evenness->interval_ns_max * NS_TO_MS;
    uint64_t below = 0;
    for (uint32_t i = 0; i < BKSI_INTERVAL_BUCKETS && evenness->intervals > 0; i++) {
        below += evenness->buckets[i];
        if ((double)below >= share * (double)evenness->intervals) {
            const double ms = length_of(i) * bksi_common_tick_ns(common) * NS_TO_MS;
            return ms < max_ms ? ms : max_ms;
        }
    }
    return 0.0;
}

void bksi_evenness_write(const session_evenness *evenness, const session_common *common,
                         bks_stats *out)
{
    out->hitches = evenness->hitches;
    out->hitch_ms_max = (double)evenness->hitch_ns_max * NS_TO_MS;
    out->tick_interval_ms_p50 = percentile_ms(evenness, common, 0.5);
    out->tick_interval_ms_p99 = percentile_ms(evenness, common, 0.99);
    out->tick_interval_ms_max = (double)evenness->interval_ns_max * NS_TO_MS;
    out->stall_gaps = evenness->gaps;
    out->stall_gap_least = evenness->gap_least;
    out->stall_gap_mean =
        evenness->gaps > 0 ? (double)evenness->gap_sum / (double)evenness->gaps : 0.0;
}
