// SPDX-License-Identifier: MIT

#include "workshop/lab/lab_parts.h"

static void add_bin(lab_bin *sum, const lab_bin *added)
{
    sum->samples += added->samples;
    sum->ahead_sum += added->ahead_sum;
    sum->rollbacks += added->rollbacks;
    sum->depth_sum += added->depth_sum;
    sum->starved += added->starved;
    sum->payload_bytes += added->payload_bytes;
}

/// Merge neighbours, so that the bins reach twice as far.
static void widen(lab_series *series)
{
    for (size_t i = 0; i < LAB_SERIES_BINS; i++) {
        lab_bin merged = {0};
        if (2 * i + 1 < LAB_SERIES_BINS) {
            merged = series->bins[2 * i];
            add_bin(&merged, &series->bins[2 * i + 1]);
        }
        series->bins[i] = merged;
    }
    series->width_ns *= 2;
}

void lab_series_sample(lab_series *series, uint64_t since_ns, bks_peer *peer)
{
    const bks_session *session = bks_peer_session(peer);
    bks_stats now;
    if (series->width_ns == 0 || bks_session_stats(session, &now) != BKS_OK) {
        return;
    }
    while (since_ns / series->width_ns >= LAB_SERIES_BINS) {
        widen(series);
    }
    const bks_stats *last = &series->last;
    const lab_bin added = {
        .samples = 1,
        .ahead_sum = bks_session_tick(session) - bks_session_confirmed(session),
        .rollbacks = now.rollbacks - last->rollbacks,
        .depth_sum = now.rollback_depth_sum - last->rollback_depth_sum,
        .starved = now.starved_ticks - last->starved_ticks,
        .payload_bytes = now.payload_bytes_sent - last->payload_bytes_sent,
    };
    add_bin(&series->bins[since_ns / series->width_ns], &added);
    series->last = now;
}
