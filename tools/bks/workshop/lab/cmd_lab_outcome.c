// SPDX-License-Identifier: MIT

#include "workshop/lab/lab_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/tool.h"

/// Return true if no peer predicts.
static bool is_lockstep(const bks_lab_config *config)
{
    for (uint32_t i = 0; i < config->peers; i++) {
        if (config->tunings[i].window_ticks > 0) {
            return false;
        }
    }
    return true;
}

void lab_outcome_begin(lab_outcome *outcome, const lab_setup *setup)
{
    const bks_lab_config *config = &setup->config;
    outcome->match.game = config->game->name;
    outcome->match.mode = is_lockstep(config) ? "lockstep" : "rollback";
    outcome->match.seed = config->seed;
    outcome->match.ticks = config->ticks;
    outcome->match.tick_rate_hz = config->game->tick_rate_hz;
    outcome->match.peers = outcome->peers;
    outcome->match.peer_count = config->peers;
    for (uint32_t i = 0; i < config->peers; i++) {
        outcome->peers[i].id = i;
        outcome->series[i].width_ns = UINT64_C(1000000000) / config->game->tick_rate_hz;
    }
}

void lab_outcome_take(lab_outcome *outcome)
{
    const bks_lab_result *result = &outcome->result;
    report_match *match = &outcome->match;
    match->is_agreed = result->agreed;
    match->reason = result->reason[0] != '\0' ? result->reason : NULL;
    match->compared = result->compared;
    match->side_count = result->side_count;
    memcpy(match->sides, result->sides, sizeof(match->sides));
    match->has_final_hash = result->has_final_hash;
    match->final_hash = result->final_hash;
    match->repairs = result->repairs;
    match->repair_count = result->repair_count;
    match->faults = result->faults;
    match->fault_count = result->fault_count;
    match->flips = result->flips;
    match->flip_count = result->flip_count;
    match->bulk = result->bulk;
    match->bulk_count = result->bulk_count;
    match->watchers = result->watchers;
    match->watcher_count = result->watcher_count;
    match->has_desync = result->desync_tick != BKS_TICK_NONE;
    match->desync.tick = result->desync_tick;
    match->desync.found_at_tick = result->desync_found_tick;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((result->desync_peers >> i & 1u) != 0) {
            match->desync.peers[match->desync.peer_count++] = i;
        }
    }
}

int lab_outcome_check_flips(const bks_lab_result *result)
{
    for (uint32_t i = 0; i < result->flip_count; i++) {
        const bks_lab_flip_result *flip = &result->flips[i];
        if (flip->is_beyond) {
            tool_complain("--fault",
                          "flip=%" PRIu32 "@%" PRId32 " has offset %" PRIu64 ", must be 0..%" PRIu64
                          ": the state takes %" PRIu64 " bytes at that tick",
                          flip->peer, flip->tick, flip->offset_bytes, flip->used_bytes - 1,
                          flip->used_bytes);
            return TOOL_MISUSE;
        }
    }
    return TOOL_OK;
}

// ---- figures over time ----

void lab_bin_add(lab_bin *sum, const lab_bin *added)
{
    sum->samples += added->samples;
    sum->ahead_sum += added->ahead_sum;
    sum->rollbacks += added->rollbacks;
    sum->depth_sum += added->depth_sum;
    sum->starved += added->starved;
    sum->payload_bytes += added->payload_bytes;
}

/// Merge each two neighbouring bins into one, so that each bin covers twice the time and half of
/// the bins are free again.
static void widen(lab_series *series)
{
    for (size_t i = 0; i < LAB_SERIES_BINS; i++) {
        lab_bin merged = {0};
        if (2 * i + 1 < LAB_SERIES_BINS) {
            merged = series->bins[2 * i];
            lab_bin_add(&merged, &series->bins[2 * i + 1]);
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
    lab_bin_add(&series->bins[since_ns / series->width_ns], &added);
    series->last = now;
}
