// SPDX-License-Identifier: MIT

#include <inttypes.h>

#include "backstitch/replay.h"
#include "lab/lab_feed.h"
#include "lab/oracle_internal.h"

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS     UINT64_C(1000000)

/// Longest time for which a watcher may lack ticks that its source has and may send. A newcomer
/// waits 2 s for a beginning, and the state and the ticks since take their time.
#define LATE_NS (6 * SECOND_NS)

/// Longest time in which a watcher whose source is lost finds another, or ends: it notices the
/// silence, and waits for each other member.
#define ASTRAY_NS (LATE_NS + BKSI_FEED_SILENCE_NS + BKS_PEERS_MAX * BKSI_FEED_MEMBER_NS)

// ---- states ----

/// Return the source of a tick.
static uint32_t source_of(const lab_watcher *watcher, bks_tick tick)
{
    uint32_t part = 0;
    while (part + 1 < watcher->part_count && watcher->parts[part + 1].first <= tick) {
        part++;
    }
    return watcher->parts[part].peer;
}

/// Return the last tick up to which a watcher must have the states of its sources. One that has
/// begun before a source's state flipped, or went to another source, does not have the flip.
static bks_tick sound_until(const bks_lab *lab, const lab_watcher *watcher)
{
    bks_tick until = INT32_MAX;
    for (uint32_t i = 0; i < watcher->part_count; i++) {
        const bks_tick sound = bksi_oracle_sound_until(lab, watcher->parts[i].peer, INT32_MAX);
        until = sound < until ? sound : until;
    }
    return until;
}

/// Step the recording of a watcher, and compare each state with that of its source.
static void compare_states(const bks_lab *lab, const lab_watcher *watcher, bks_replay *replay,
                           bks_oracle_verdict *verdict)
{
    const bks_recording *info = bks_replay_info(replay);
    const bks_playback_config config = {.replay = replay,
                                        .game = lab->config.game,
                                        .from_recorded_state = true,
                                        .allocator = lab->config.allocator};
    bks_playback *playback = NULL;
    bks_error error = {0};
    const bks_tick sound = sound_until(lab, watcher);
    if (sound < info->first) {
        return; // it begins with a state that was made wrong, which the game may refuse
    }
    if (bks_playback_create(&config, &playback, &error) != BKS_OK) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, info->first,
                         "what watcher %u has cannot be played: %s", watcher->index, error.text);
        return;
    }
    const bks_tick until = sound < info->end ? sound : info->end;
    for (bks_tick tick = info->first; tick <= until; tick++) {
        const uint32_t source = source_of(watcher, tick);
        uint64_t hash = 0;
        if (bks_lab_hash(lab, source, tick, &hash) == BKS_OK &&
            bks_playback_hash(playback) != hash) {
            bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, tick,
                             "watcher %u has another state at tick %d than its source, peer %u",
                             watcher->index, tick, source);
            break;
        }
        if (tick < until && bks_playback_step(playback) != BKS_OK) {
            bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, tick, "watcher %u cannot step tick %d",
                             watcher->index, tick);
            break;
        }
    }
    bks_playback_destroy(playback);
}

static void check_recording(const bks_lab *lab, const lab_watcher *watcher,
                            bks_oracle_verdict *verdict)
{
    const bks_replay_piece piece = {.bytes = watcher->receiver.bytes,
                                    .count = bksi_feed_receiver_bytes(&watcher->receiver)};
    bks_replay *replay = NULL;
    bks_error error = {0};
    if (bks_replay_open_growing(&piece, 1, &lab->config.allocator, &replay, &error) != BKS_OK) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, BKS_TICK_NONE,
                         "what watcher %u has cannot be read: %s", watcher->index, error.text);
        bks_replay_close(replay); // of a damaged recording there may be a replay, too
        return;
    }
    const bks_recording *info = bks_replay_info(replay);
    if (info->end != watcher->next) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, info->end,
                         "the recording of watcher %u ends at tick %d, must be %d", watcher->index,
                         info->end, watcher->next);
    } else {
        compare_states(lab, watcher, replay, verdict);
    }
    bks_replay_close(replay);
}

// ---- second opinions ----

/// Return true if the states of peers may differ: one flipped, or lied about its inputs.
static bool may_differ(const bks_lab *lab, const uint32_t peers[2], bks_tick tick)
{
    bool may = bksi_oracle_sound_until(lab, peers[0], tick) < tick ||
               bksi_oracle_sound_until(lab, peers[1], tick) < tick;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        may |= bksi_lab_lie_mattered(lab, i) || bksi_lab_forgery_mattered(lab, i);
    }
    return may;
}

static void check_opinion(const bks_lab *lab, const lab_watcher *watcher,
                          const bksi_feed_opinion *opinion, bks_oracle_verdict *verdict)
{
    const uint32_t peers[2] = {opinion->source.bytes[0], opinion->other.bytes[0]};
    uint64_t hashes[2];
    if (lab->repair_count > 0 || bks_lab_hash(lab, peers[0], opinion->tick, &hashes[0]) != BKS_OK ||
        bks_lab_hash(lab, peers[1], opinion->tick, &hashes[1]) != BKS_OK) {
        return; // a source may have told the hash from before a repair
    }
    const bool is_true = opinion->agrees == (hashes[0] == hashes[1]);
    if (!is_true || (!opinion->agrees && !may_differ(lab, peers, opinion->tick))) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, opinion->tick,
                         "watcher %u hears that peers %u and %u %s at tick %d, which is %s",
                         watcher->index, peers[0], peers[1], opinion->agrees ? "agree" : "differ",
                         opinion->tick, is_true ? "no fault of either" : "wrong");
    }
}

// ---- lines and ends ----

/// Return true if a watcher's lines carry a feed at its pace.
static bool has_good_lines(const lab_watcher *watcher)
{
    const bks_lab_link_spec *line = &watcher->spec.line;
    return line->delay_ns <= 300 * MS_NS && line->jitter_ns <= 100 * MS_NS &&
           line->loss_ppm <= 100000 && line->burst_packets <= 4.0 && line->reorder_ppm <= 50000 &&
           line->hold_ns == 0 && line->corrupt_ppm <= 20000 && line->mtu_bytes == 0 &&
           (line->rate_bits_per_s == 0 || line->rate_bits_per_s >= 256000);
}

/// Return the source that gave a watcher its newest tick, or to which it came first.
static uint32_t lost_source(const lab_watcher *watcher)
{
    return watcher->part_count > 0 ? watcher->parts[watcher->part_count - 1].peer
                                   : watcher->spec.peer;
}

/// Return true if a watcher lacks so much that its source may give it up as too slow.
static bool is_far_behind(const lab_watcher *watcher, const bksi_feed_tape *tape)
{
    const bksi_feed_ring *ring = &tape->ring;
    bksi_feed_cursor next;
    if (watcher->part_count == 0) {
        return ring->end > ring->room; // the beginning came so slowly that records are gone
    }
    switch (bksi_feed_tape_find(tape, watcher->next, &next)) {
    case BKSI_FEED_STRETCH_HELD:
        return ring->end - next.place + BKSI_FEED_RESERVE_BYTES > ring->room;
    case BKSI_FEED_STRETCH_LATER:
        return false;
    default:
        return true;
    }
}

/// Return true if the reason for which a feed ended is true.
static bool has_reason(const bks_lab *lab, const lab_watcher *watcher)
{
    const uint32_t peer = watcher->receiver.source.bytes[0];
    const lab_feed_source *asked = &lab->feed->sources[peer];
    const lab_feed_source *lost = &lab->feed->sources[lost_source(watcher)];
    bks_repair repair;
    switch (watcher->receiver.reason) {
    case BKSI_FEED_LEAVES:
    case BKSI_FEED_OVER:
        return asked->closes_ns != UINT64_MAX || lost->closes_ns != UINT64_MAX;
    case BKSI_FEED_FULL:
        return lab->config.watchers < lab->feed->watcher_count;
    case BKSI_FEED_NO_STATE:
        return !asked->watching.source->has_tape;
    case BKSI_FEED_TOO_SLOW:
        return is_far_behind(watcher, &lost->watching.source->tape);
    case BKSI_FEED_REPAIRED:
        return bks_session_repairs(lab->peers[peer].session, &repair, 1) > 0;
    case BKSI_FEED_NOBODY:
        return lab->config.watchers == 0;
    default: // silence
        return false;
    }
}

/// Return true if a watcher with good lines may end as it did.
static bool may_end_so(const bks_lab *lab, const lab_watcher *watcher)
{
    const lab_feed_source *source = &lab->feed->sources[source_of(watcher, INT32_MAX)];
    switch (watcher->receiver.status) {
    case BKS_OK:
        return watcher->has_left;
    case BKS_OVER: // it has all ticks of a source that left, and may have asked others in vain
        return source->closes_ns != UINT64_MAX && watcher->next == source->end;
    case BKS_ERR_TIMEOUT:
        return watcher->was_lost;
    case BKS_ERR_REFUSED:
    case BKS_ERR_PEER_LOST:
        return watcher->was_lost || has_reason(lab, watcher);
    default:
        return false;
    }
}

static void check_end(const bks_lab *lab, const lab_watcher *watcher, bks_oracle_verdict *verdict)
{
    const bks_status status = watcher->receiver.status;
    const bool is_broken = status < BKS_OK && status != BKS_ERR_TIMEOUT &&
                           status != BKS_ERR_REFUSED && status != BKS_ERR_PEER_LOST;
    const char *text = verdict->result.watchers[watcher->index].text;
    if (!watcher->has_ended && lab->is_closed) {
        bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                         "watcher %u still waits at tick %d long after the match: %s",
                         watcher->index, watcher->next, text);
    } else if (watcher->has_ended &&
               (is_broken || (has_good_lines(watcher) && !may_end_so(lab, watcher)))) {
        bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                         "watcher %u ended at tick %d for no reason: %s", watcher->index,
                         watcher->next, text);
    }
    for (uint32_t i = 0; i < 2 && has_good_lines(watcher); i++) {
        if (watcher->waited_ns[i] > (i == 0 ? LATE_NS : ASTRAY_NS)) {
            bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                             "watcher %u got nothing for %" PRIu64
                             " ms though its source %s, must be at most %" PRIu64,
                             watcher->index, watcher->waited_ns[i] / MS_NS,
                             i == 0 ? "had more" : "was lost",
                             (i == 0 ? LATE_NS : ASTRAY_NS) / MS_NS);
        }
    }
}

void bksi_oracle_judge_watchers(const bks_lab *lab, bks_oracle_verdict *verdict)
{
    for (uint32_t i = 0; lab->feed != NULL && i < lab->feed->watcher_count; i++) {
        const lab_watcher *watcher = &lab->feed->watchers[i];
        if (watcher->part_count > 0) {
            check_recording(lab, watcher, verdict);
        }
        for (uint32_t k = 0; k < watcher->opinion_count; k++) {
            check_opinion(lab, watcher, &watcher->opinions[k], verdict);
        }
        if (watcher->has_come) {
            check_end(lab, watcher, verdict);
        }
    }
}
