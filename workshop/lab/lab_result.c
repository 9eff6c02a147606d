// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "lab/lab_feed.h"
#include "lab/lab_internal.h"
#include "peer/peer_inspect.h"

#define SECOND_NS UINT64_C(1000000000)

void bksi_lab_collect_result(const lab_peer *peer, bks_lab_peer_result *out)
{
    out->first_player = peer->end.first_player;
    out->player_count = peer->end.player_count;
    out->ticks = bks_session_tick(peer->session);
    out->confirmed = bks_session_confirmed(peer->session);
    out->first_tick_ns = 0;
    out->allocations_after_start = peer->allocations;
    out->work_ns_sum = peer->work_ns_sum;
    out->work_ns_max = peer->work_ns_max;
    (void)bks_session_stats(peer->session, &out->stats);
    (void)bks_peer_costs(peer->peer, &out->costs);
    out->desync = peer->finding;
}

bks_tick bks_lab_progress(const bks_lab *lab)
{
    BKSI_REFUSE_NULL_OR(0, lab);
    bks_tick fewest = lab->config.ticks + 1;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *peer = &lab->peers[i];
        fewest = bksi_lab_is_in(lab, i) && peer->hash_count < fewest ? peer->hash_count : fewest;
    }
    return fewest > 0 ? fewest - 1 : 0;
}

bks_status bks_lab_hash(const bks_lab *lab, uint32_t peer, bks_tick tick, uint64_t *out_hash)
{
    static const char call[] = "bks_lab_hash";
    BKSI_REFUSE_NULL(NULL, lab);
    BKSI_REFUSE_NULL(NULL, out_hash);
    if (peer >= lab->config.peers) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "peer", "peer is %u, must be 0..%u",
                         peer, lab->config.peers - 1);
    }
    if (tick < 0 || tick > lab->config.ticks) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be 0..%d",
                         tick, lab->config.ticks);
    }
    if (tick >= lab->peers[peer].hash_count) {
        return BKS_ERR_NOT_CONFIRMED;
    }
    *out_hash = lab->peers[peer].hashes[tick];
    return BKS_OK;
}

static void count_fault(bks_lab_result *out, const char *name, uint64_t count)
{
    if (out->fault_count < BKS_LAB_FAULTS_MAX) {
        out->faults[out->fault_count++] = (bks_lab_count){name, count};
    }
}

static void count_faults(const bks_lab *lab, bks_lab_result *out)
{
    bks_lab_link_counters sum = {0};
    uint64_t flips = 0;
    for (uint32_t from = 0; from < lab->config.peers; from++) {
        const bks_lab_flip *flip = &lab->faults.flips[from];
        const bool is_there = flip->is_once
                                  ? bksi_peer_flipped(lab->peers[from].peer).is_there
                                  : bks_session_tick(lab->peers[from].session) >= flip->tick;
        if (flip->is_planted && is_there) {
            flips++;
        }
        for (uint32_t to = 0; to < lab->config.peers; to++) {
            if (from != to) {
                bks_lab_link_counters_add(&sum, bksi_lab_link_get_counters(lab->links[from][to]));
            }
        }
    }
    count_fault(out, "loss", sum.lost);
    count_fault(out, "dup", sum.duplicated);
    count_fault(out, "reorder", sum.reordered);
    count_fault(out, "corrupt", sum.corrupted);
    count_fault(out, "rate", sum.over_rate);
    count_fault(out, "mtu", sum.over_mtu);
    count_fault(out, "queue", sum.over_queue);
    count_fault(out, "flip", flips);
    for (uint32_t i = 0; i < BKS_LAB_FAULT_KINDS; i++) {
        const bks_lab_fault_kind kind = (bks_lab_fault_kind)i;
        count_fault(out, bks_lab_fault_name(kind), bksi_lab_faults_fired(lab, kind));
    }
}

/// Names of the moments in JSON.
static const char *const moment_names[LAB_MOMENT_COUNT] = {
    [LAB_MOMENT_HANDOVER] = "handover",
    [LAB_MOMENT_RELAYED] = "relayed",
    [LAB_MOMENT_REBIND] = "rebind",
    [LAB_MOMENT_EARLY_END] = "early_end",
    [LAB_MOMENT_ROLLBACK] = "rollback",
    [LAB_MOMENT_STARVED] = "starved",
    [LAB_MOMENT_RESUMED] = "resumed",
    [LAB_MOMENT_STALL] = "stall",
    [LAB_MOMENT_SILENT] = "silent",
    [LAB_MOMENT_BACK] = "back",
    [LAB_MOMENT_DELAY_RAISED] = "delay_raised",
    [LAB_MOMENT_DELAY_LOWERED] = "delay_lowered",
    [LAB_MOMENT_CATCH_UP] = "catch_up",
    [LAB_MOMENT_DESYNC] = "desync",
    [LAB_MOMENT_VIEW] = "view",
    [LAB_MOMENT_DROPPED] = "dropped",
    [LAB_MOMENT_SPLIT] = "split",
    [LAB_MOMENT_REUNION] = "reunion",
    [LAB_MOMENT_HOST_CRASH] = "host_crash",
    [LAB_MOMENT_TWIN_CRASH] = "twin_crash",
    [LAB_MOMENT_SLOW] = "slow",
    [LAB_MOMENT_NARROW] = "narrow",
    [LAB_MOMENT_BALLOT_CRASH] = "ballot_crash",
    [LAB_MOMENT_STOPPED] = "stopped",
    [LAB_MOMENT_REPAIRED] = "repaired",
    [LAB_MOMENT_PAUSED] = "paused",
    [LAB_MOMENT_SPEED] = "speed",
};

static void count_moments(const bks_lab *lab, bks_lab_result *out)
{
    for (uint32_t i = 0; i < LAB_MOMENT_COUNT; i++) {
        out->moments[out->moment_count++] =
            (bks_lab_count){moment_names[i], bksi_lab_moment(lab, (lab_moment)i)};
    }
}

/// Return the number of peers that crashed or said goodbye, or gave up a lost host.
static uint32_t gone_peers(const bks_lab *lab)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        gone += bksi_lab_is_gone(&lab->peers[i]) || lab->peers[i].is_out ? 1 : 0;
    }
    return gone;
}

/// Write one sentence on why the peers did not agree.
static void give_reason(const bks_lab *lab, const bks_lab_comparison *found, bks_lab_result *out)
{
    if (lab->invariant_error[0] != '\0') {
        (void)snprintf(out->reason, sizeof(out->reason), "%s", lab->invariant_error);
        return;
    }
    if (found->open_tick != BKS_TICK_NONE) {
        (void)snprintf(out->reason, sizeof(out->reason), "the states differ from tick %d on",
                       found->open_tick);
        return;
    }
    if (found->inputs_tick != BKS_TICK_NONE) {
        (void)snprintf(out->reason, sizeof(out->reason),
                       "the inputs that peers confirmed differ before tick %d", found->inputs_tick);
        return;
    }
    uint32_t slowest = BKS_PEERS_MAX;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (!bksi_lab_is_in(lab, i)) {
            continue;
        }
        if (lab->peers[i].failure[0] != '\0') {
            (void)snprintf(out->reason, sizeof(out->reason), "peer %u: %s", i,
                           lab->peers[i].failure);
            return;
        }
        if (slowest == BKS_PEERS_MAX || lab->peers[i].hash_count < lab->peers[slowest].hash_count) {
            slowest = i;
        }
    }
    if (slowest == BKS_PEERS_MAX) {
        (void)snprintf(out->reason, sizeof(out->reason), "no peer is left in the match");
        return;
    }
    if (lab->first_tick_ns == UINT64_MAX) {
        const uint32_t gone = gone_peers(lab);
        char why[64] = "no peer is gone";
        if (gone > 0) {
            (void)snprintf(why, sizeof(why), "%u of %u peers are gone", gone, lab->config.peers);
        }
        (void)snprintf(out->reason, sizeof(out->reason),
                       "no first tick after %" PRIu64 " s of virtual time: %s",
                       lab->end_ns / SECOND_NS, why);
        return;
    }
    (void)snprintf(out->reason, sizeof(out->reason),
                   "peer %u had confirmed %d of %d tick%s after %" PRIu64 " s of virtual time",
                   slowest, lab->peers[slowest].end.confirmed, lab->config.ticks,
                   BKSI_PLURAL(lab->config.ticks), lab->end_ns / SECOND_NS);
}

/// Return the time at which the earliest peer stepped its first tick.
static uint64_t first_tick_of_all(const bks_lab *lab)
{
    uint64_t first_ns = UINT64_MAX;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *peer = &lab->peers[i];
        if (peer->has_begun && peer->first_tick_ns < first_ns) {
            first_ns = peer->first_tick_ns;
        }
    }
    return first_ns;
}

static void fill_peers(const bks_lab *lab, uint64_t first_ns, bks_lab_result *out)
{
    out->peer_count = lab->config.peers;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *peer = &lab->peers[i];
        if (lab->is_over) {
            out->peers[i] = peer->end;
        } else {
            bksi_lab_collect_result(peer, &out->peers[i]);
        }
        out->peers[i].first_tick_ns = peer->has_begun ? peer->first_tick_ns - first_ns : 0;
    }
}

static void fill_bulk(const bks_lab *lab, bks_lab_result *out)
{
    out->bulk_count = lab->bulk_count;
    for (uint32_t i = 0; i < lab->bulk_count; i++) {
        const lab_bulk *bulk = &lab->bulk[i];
        out->bulk[i] = (bks_lab_bulk_result){
            .from = bulk->spec.from,
            .to = bulk->spec.to,
            .bytes = bulk->spec.bytes,
            .arrived = bulk->read,
            .rate_bits_per_s = bulk->rate_bits_per_s,
            .took_ns = bulk->done_ns != 0 ? bulk->done_ns - bulk->begun_ns : 0,
        };
    }
}

/// Compare the hashes of all peers, and find the first tick at which a peer noticed a difference.
static bks_lab_comparison compare_peers(const bks_lab *lab, bks_lab_result *out)
{
    bks_lab_story stories[BKS_PEERS_MAX] = {{0}};
    out->desync_found_tick = BKS_TICK_NONE;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *peer = &lab->peers[i];
        stories[i] = bksi_lab_story_of(lab, i);
        const bks_lab_finding *finding = &peer->finding;
        if (finding->is_found && (out->desync_found_tick == BKS_TICK_NONE ||
                                  finding->found_tick < out->desync_found_tick)) {
            out->desync_found_tick = finding->found_tick;
        }
    }
    const bks_lab_comparison found =
        bksi_lab_compare_stories(stories, lab->config.peers, lab->config.ticks);
    out->compared = found.compared;
    out->in_spans = found.in_spans;
    out->repair_count = lab->repair_count;
    memcpy(out->repairs, lab->repairs, sizeof(out->repairs));
    out->desync_tick = found.desync_tick;
    out->desync_peers = found.desync_peers;
    out->side_count = found.side_count;
    memcpy(out->sides, found.sides, sizeof(out->sides));
    return found;
}

/// Find the final hash of the first peer that stayed to the end.
static bool find_final_hash(const bks_lab *lab, uint64_t *out_hash)
{
    uint32_t first = 0;
    while (first + 1 < lab->config.peers && !bksi_lab_is_in(lab, first)) {
        first++;
    }
    return bks_lab_hash(lab, first, lab->config.ticks, out_hash) == BKS_OK;
}

bks_status bks_lab_outcome(const bks_lab *lab, bks_lab_result *out)
{
    BKSI_REFUSE_NULL(NULL, lab);
    BKSI_REFUSE_NULL(NULL, out);
    memset(out, 0, sizeof(*out));
    const uint64_t until_ns = lab->is_over ? lab->end_ns : lab->now_ns;
    const uint64_t first_ns = first_tick_of_all(lab);
    out->is_over = lab->is_closed;
    out->connect_ns = first_ns < until_ns ? first_ns : until_ns;
    out->match_ns = until_ns - out->connect_ns;
    const bks_lab_comparison found = compare_peers(lab, out);
    out->has_final_hash = find_final_hash(lab, &out->final_hash);
    out->packets = lab->packets;
    out->packet_bytes = lab->packet_bytes;
    out->packet_digest = lab->packet_digest;
    fill_peers(lab, first_ns, out);
    memcpy(out->links, lab->traffic, sizeof(out->links));
    fill_bulk(lab, out);
    bksi_lab_feed_fill(lab, out);
    bksi_lab_naming_fill(lab, out);
    count_faults(lab, out);
    count_moments(lab, out);
    out->agreed = lab->is_over && out->compared + out->in_spans == lab->config.ticks &&
                  found.open_tick == BKS_TICK_NONE && found.inputs_tick == BKS_TICK_NONE &&
                  lab->invariant_error[0] == '\0';
    if (lab->is_over && !out->agreed) {
        give_reason(lab, &found, out);
    }
    return BKS_OK;
}
