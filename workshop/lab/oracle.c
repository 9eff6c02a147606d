// SPDX-License-Identifier: MIT

#include "backstitch/toolkit/oracle.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "lab/lab_internal.h"
#include "lab/oracle_internal.h"

#define CALL      "bks_oracle_run"
#define SECOND_NS UINT64_C(1000000000)
#define MS_NS     UINT64_C(1000000)

/// PATIENCE_NS: time after which peers must be at full rate, once the links have healed.
/// MEASURED_NS: duration of the measurement that follows.
#define PATIENCE_NS (2 * SECOND_NS)
#define MEASURED_NS (3 * SECOND_NS / 2)

/// Longest time for which a match may make no progress while no fault is a reason to wait.
#define STILL_NS (5 * SECOND_NS)

/// Size of a packet, with the headers of IP and UDP, that every path carries; longer ones may be
/// lost.
#define PATH_BYTES 576u
/// RATE_SHARE: least share of the ticks that must be played at full rate; below 1, because `slew`
/// makes ticks up to 2 % longer. TICKS_BESIDE: number of ticks that may fall outside the
/// measurement. Ticks that `stall` skips on purpose count as played, because a peer that could not
/// send for a while may be half a window ahead and must wait for the others.
#define RATE_SHARE   0.97
#define TICKS_BESIDE 2

/// Match that is run and judged.
typedef struct trial {
    const bks_oracle_match *match;
    bks_lab *lab;
    oracle_recordings *recordings; ///< recordings of all peers
    oracle_cues cues;              ///< cues that the peers reported
    oracle_delays delays;          ///< input delays of the peers
    oracle_hitches hitches;        ///< hitches of the peers in a lockstep match
    bks_lab_expectation expected;
    bool may_differ;               ///< a desync is planted, though it may not come about
    bks_tick begun[BKS_PEERS_MAX]; ///< tick of each peer at which the measurement began
    uint32_t stage;                ///< 0: not begun; 1: the measurement has begun; 2: it has ended
    bks_tick least;                ///< lowest certain tick of the peers that still play
    /// Time of the last progress (a change of `least`), or of the last fault that excuses a lack of
    /// it.
    uint64_t moved_ns;
} trial;

static void close_trial(trial *c)
{
    bks_lab_destroy(c->lab);
    bksi_oracle_recordings_close(c->recordings);
    bksi_oracle_cues_close(&c->cues);
}

static bks_status open_trial(trial *c, const bks_oracle_match *match, bks_error *error)
{
    bks_lab_config config = match->config;
    config.clock_ns = NULL; // no clock: measured costs differ from run to run
    config.allocations = NULL;
    *c = (trial){.match = match};
    c->recordings = bksi_oracle_recordings_open(match, &config);
    bksi_oracle_cues_open(&c->cues, &config);
    if (match->rewind != NULL) {
        match->rewind(match->rewind_context);
    }
    bks_status status = c->recordings != NULL ? bks_lab_create(&config, &c->lab, error)
                                              : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, CALL, NULL,
                                                          "no memory for the recordings");
    for (uint32_t i = 0; status == BKS_OK && i < match->link_count; i++) {
        status = bks_lab_link(c->lab, match->links[i], error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < match->fault_count; i++) {
        status = bks_lab_fault(c->lab, match->faults[i], error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < match->stream_count; i++) {
        status = bks_lab_bulk(c->lab, match->streams[i], error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < match->watcher_count; i++) {
        status = bks_lab_watch(c->lab, match->watchers[i], error);
    }
    if (status != BKS_OK) {
        close_trial(c);
        return status;
    }
    const bks_lab_faults *faults = &c->lab->faults;
    const bks_lab_terms terms = {
        .peers = config.peers,
        .match_ns =
            (uint64_t)(config.ticks - config.first_tick) * SECOND_NS / config.game->tick_rate_hz +
            bksi_lab_longer_ns(c->lab),
        .late_ns = bksi_oracle_longest_way_ns(c->lab),
        .drop_after_ns = config.tuning.drop_after_ms * MS_NS,
    };
    (void)bks_lab_expect(faults->timed, faults->timed_count, &terms, &c->expected);
    for (uint32_t i = 0; i < faults->timed_count; i++) {
        c->may_differ |=
            faults->timed[i].kind == BKS_LAB_LIE || faults->timed[i].kind == BKS_LAB_FORGE;
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        c->may_differ |= faults->flips[i].is_planted;
    }
    return BKS_OK;
}

// ---- checks that the match goes on ----

/// Return the number of ticks that a peer stepped or skipped on purpose.
static bks_tick ticks_of(const lab_peer *peer)
{
    bks_stats stats;
    (void)bks_session_stats(peer->session, &stats);
    return bks_session_tick(peer->session) + (bks_tick)stats.stalled_ticks;
}

/// Return true if a peer is still playing.
static bool plays(const trial *c, uint32_t index)
{
    const lab_peer *peer = &c->lab->peers[index];
    return !bksi_lab_is_gone(peer) && !peer->is_out &&
           bks_session_tick(peer->session) < bksi_lab_end_of(c->lab, index);
}

/// Return the peers that still play, one bit for each.
static uint32_t playing_peers(const trial *c)
{
    uint32_t playing = 0;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        playing |= plays(c, i) ? 1u << i : 0;
    }
    return playing;
}

static void measure_rate(const trial *c, bks_oracle_verdict *verdict)
{
    const double seconds = (double)MEASURED_NS / (double)SECOND_NS;
    const int32_t wanted =
        (int32_t)(seconds * c->lab->config.game->tick_rate_hz * RATE_SHARE) - TICKS_BESIDE;
    const uint32_t playing = playing_peers(c);
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        bks_roster roster;
        (void)bks_session_roster(c->lab->peers[i].session, &roster);
        if (bksi_oracle_is_tight(c->lab, &c->expected, i, playing) || roster.speed_percent != 100) {
            return;
        }
    }
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const lab_peer *peer = &c->lab->peers[i];
        const bks_tick now = ticks_of(peer);
        if (plays(c, i) && bksi_lab_is_in(c->lab, i) && now - c->begun[i] < wanted) {
            bksi_oracle_fail(
                verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                "peer %u advanced %d ticks in %.1f s that began 2 s after the last fault, "
                "must be at least %d",
                i, now - c->begun[i], seconds, wanted);
        }
    }
}

/// Check that one of the two sides of a split has ended if they can talk to each other again.
static void check_sides(const trial *c, bks_oracle_verdict *verdict)
{
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        for (uint32_t k = 0; k < c->lab->config.peers; k++) {
            bks_roster roster;
            (void)bks_session_roster(c->lab->peers[i].session, &roster);
            if (i != k && plays(c, i) && plays(c, k) && !roster.is_in[k] &&
                (c->expected.apart[i] >> k & 1u) == 0) {
                bksi_oracle_fail(
                    verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                    "peer %u can talk to peer %u again since the last fault ended 3.5 s ago, "
                    "and plays on without it",
                    i, k);
            }
        }
    }
}

/// Check that no two sides of a split both count as the side that continues the match.
static void check_halves(const trial *c, bks_oracle_verdict *verdict)
{
    bks_roster rosters[BKS_PEERS_MAX];
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const lab_peer *peer = &c->lab->peers[i];
        (void)bks_session_roster(peer->session, &rosters[i]);
        for (uint32_t k = 0; k < i; k++) {
            const bool has_begun = rosters[i].is_in[i] && rosters[k].is_in[k];
            if (has_begun && bksi_lab_is_in(c->lab, i) && bksi_lab_is_in(c->lab, k) &&
                !peer->is_out && !c->lab->peers[k].is_out && !rosters[i].is_in[k] &&
                !rosters[k].is_in[i] && !rosters[i].is_minority && !rosters[k].is_minority) {
                bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, BKS_TICK_NONE,
                                 "peers %u and %u play on without each other, and neither says "
                                 "that the other's match may be the one that counts",
                                 k, i);
            }
        }
    }
}

/// Check that no packet was longer than a link carries, on links that carry at least PATH_BYTES.
static void check_lengths(const trial *c, bks_oracle_verdict *verdict)
{
    for (uint32_t i = 0; i < c->lab->config.peers * c->lab->config.peers; i++) {
        const uint32_t from = i / c->lab->config.peers;
        const uint32_t to = i % c->lab->config.peers;
        const bksi_lab_link *link = c->lab->links[from][to];
        const uint32_t mtu_bytes = link != NULL ? bksi_lab_link_get_worst(link)->mtu_bytes : 0;
        const uint64_t dropped = link != NULL ? bksi_lab_link_get_counters(link)->over_mtu : 0;
        if (mtu_bytes >= PATH_BYTES && dropped > 0) {
            bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                             "peer %u sent peer %u %" PRIu64 " packets of more than %u bytes", from,
                             to, dropped, mtu_bytes);
        }
    }
}

/// Return the time up to which the match is run before it is checked again.
static uint64_t next_mark(const trial *c)
{
    const uint64_t first_ns = c->lab->first_tick_ns;
    const uint64_t now_ns = bks_lab_now(c->lab);
    if (first_ns == UINT64_MAX) {
        return now_ns + SECOND_NS / 20;
    }
    uint64_t mark_ns = now_ns + SECOND_NS;
    uint64_t wanted_ns = UINT64_MAX;
    if (c->expected.has_heal && c->stage < 2) {
        wanted_ns =
            first_ns + c->expected.over_ns + PATIENCE_NS + (c->stage == 1 ? MEASURED_NS : 0);
    }
    return wanted_ns < mark_ns ? wanted_ns : mark_ns;
}

static void measure_or_wait(trial *c, bks_oracle_verdict *verdict)
{
    const uint64_t first_ns = c->lab->first_tick_ns;
    if (first_ns == UINT64_MAX) {
        return;
    }
    const uint64_t since_ns = bks_lab_now(c->lab) - first_ns;
    if (!c->expected.has_heal || c->stage >= 2 ||
        since_ns < c->expected.over_ns + PATIENCE_NS + (c->stage == 1 ? MEASURED_NS : 0)) {
        return;
    }
    if (c->stage++ == 1) {
        measure_rate(c, verdict);
        check_sides(c, verdict);
        return;
    }
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        c->begun[i] = ticks_of(&c->lab->peers[i]);
    }
}

/// Get the tick up to which a peer has stepped all ticks with confirmed inputs.
static bks_tick certain_tick(const bks_session *session)
{
    const bks_tick confirmed = bks_session_confirmed(session);
    const bks_tick stepped = bks_session_tick(session);
    return confirmed < stepped ? confirmed : stepped;
}

/// Return true if a guest may still wait in the lobby for a host that is gone. If a cut hid the
/// start and the goodbye, the last that the guest heard is that the host loads. Loading may take
/// two minutes.
static bool may_wait_for_host(const trial *c)
{
    bool waits = false;
    for (uint32_t i = 1; i < c->lab->config.peers; i++) {
        waits |= plays(c, i) && !c->lab->peers[i].has_begun;
    }
    return waits && bksi_lab_is_gone(&c->lab->peers[0]);
}

/// Check that the match does not stand still: the lowest certain tick of the peers that still play
/// rises. To look at confirmed inputs alone is not enough: with an input delay they arrive long
/// before their ticks, so at the end of a slow match all are known while many ticks are left.
static void watch_progress(trial *c, bks_oracle_verdict *verdict)
{
    bks_tick least = INT32_MAX;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const bks_tick tick = certain_tick(c->lab->peers[i].session);
        least = plays(c, i) && tick < least ? tick : least;
    }
    const uint64_t now_ns = bks_lab_now(c->lab);
    const uint64_t first_ns = c->lab->first_tick_ns;
    const bool may_wait =
        first_ns == UINT64_MAX || now_ns < first_ns + c->expected.over_ns || may_wait_for_host(c);
    if (least != c->least || may_wait) {
        c->least = least;
        c->moved_ns = now_ns;
    } else if (least != INT32_MAX && now_ns - c->moved_ns >= STILL_NS) {
        bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, least,
                         "the match stands still at tick %d for %" PRIu64
                         " ms, and no fault is a reason to wait",
                         least, (now_ns - c->moved_ns) / MS_NS);
    }
}

/// Check that every dropped peer said goodbye or was silent for long.
static void check_leavers(const trial *c, bks_oracle_verdict *verdict)
{
    for (uint32_t i = 0; i < c->lab->config.peers && !c->expected.may_part; i++) {
        bks_roster roster;
        (void)bks_session_roster(c->lab->peers[i].session, &roster);
        const bool forges = c->lab->peers[i].liar.is_forging;
        for (uint32_t k = 0; k < roster.peers && !forges; k++) {
            if (!roster.is_in[k] && (c->expected.leavers >> k & 1u) == 0) {
                bksi_oracle_fail(
                    verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                    "peer %u dropped peer %u at tick %d, but no fault silences a peer for "
                    "that long",
                    i, k, roster.end[k]);
            }
        }
    }
}

/// Check that streams between peers that stay to the end made progress after the last fault.
static void check_streams(const trial *c, bks_oracle_verdict *verdict)
{
    for (uint32_t i = 0; i < c->lab->bulk_count && c->stage >= 2; i++) {
        const lab_bulk *bulk = &c->lab->bulk[i];
        bks_roster roster;
        (void)bks_session_roster(c->lab->peers[bulk->spec.from].session, &roster);
        if (bulk->begun_ns != 0 && bulk->done_ns == 0 && roster.is_in[bulk->spec.to] &&
            bksi_lab_is_in(c->lab, bulk->spec.from) && bksi_lab_is_in(c->lab, bulk->spec.to) &&
            c->lab->end_ns > bulk->moved_ns + PATIENCE_NS + SECOND_NS) {
            bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                             "no byte of the stream %u>%u arrived in the last 3 s, and %" PRIu64
                             " of %" PRIu64 " before",
                             bulk->spec.from, bulk->spec.to, bulk->read, bulk->spec.bytes);
        }
    }
}

/// Run a match to its end, or until a fault is found.
static void run(trial *c, bks_oracle_verdict *verdict)
{
    uint64_t until_ns = UINT64_MAX;
    while (bks_lab_advance(c->lab, next_mark(c))) {
        measure_or_wait(c, verdict);
        watch_progress(c, verdict);
        if (!c->may_differ) {
            check_halves(c, verdict);
        }
        const uint32_t playing = playing_peers(c);
        bksi_oracle_watch_delay(&c->delays, c->lab, c->match, &c->expected, playing, verdict);
        bksi_oracle_watch_hitches(&c->hitches, c->lab, &c->expected, playing, verdict);
        const bool is_bad = verdict->kind != BKS_ORACLE_GOOD ||
                            c->lab->invariant_error[0] != '\0' ||
                            (c->lab->moments[LAB_MOMENT_DESYNC] > 0 && !c->may_differ);
        if (is_bad && until_ns == UINT64_MAX) {
            // Run on for a second, so that the hashes of the other peers arrive.
            until_ns = bks_lab_now(c->lab) + SECOND_NS;
        }
        if (bks_lab_now(c->lab) >= until_ns) {
            break;
        }
    }
    const uint64_t hour_ns = 3600 * SECOND_NS;
    (void)bks_lab_outcome(c->lab, &verdict->result);
    check_leavers(c, verdict);
    bksi_oracle_judge_lobby(c->lab, verdict);
    check_streams(c, verdict);
    if (c->match->stream_count == 0) {
        check_lengths(c, verdict);
    }
    bksi_oracle_judge_rate(c->lab, &verdict->result, verdict);
    bksi_oracle_judge_policy(c->lab, &verdict->result, verdict);
    bksi_oracle_judge_watchers(c->lab, verdict);
    verdict->peer_hours +=
        c->lab->config.peers * (double)verdict->result.match_ns / (double)hour_ns;
}

// ---- checks that states and inputs are right ----

/// Return the first tick for which peers hold different inputs because of a lie or forgery;
/// BKS_TICK_NONE: there is none.
static bks_tick parted_tick(const trial *c)
{
    bks_tick first = BKS_TICK_NONE;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const bks_tick lie = bksi_lab_lie_tick(&c->lab->peers[i].liar);
        if (bksi_lab_lie_mattered(c->lab, i) && (first == BKS_TICK_NONE || lie < first)) {
            first = lie;
        }
        const bks_tick forged = c->lab->peers[i].liar.forged_from;
        if (bksi_lab_forgery_mattered(c->lab, i) && (first == BKS_TICK_NONE || forged < first)) {
            first = forged;
        }
    }
    return first;
}

/// Return the first tick at which planted faults made peers differ, by inputs or flips;
/// BKS_TICK_NONE: there is none.
static bks_tick planted_tick(const trial *c)
{
    bks_tick first = parted_tick(c);
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const bks_session *session = c->lab->peers[i].session;
        const bks_lab_flip *flip = &c->lab->faults.flips[i];
        if (flip->is_planted && bks_session_tick(session) >= flip->tick &&
            (first == BKS_TICK_NONE || flip->tick < first)) {
            first = flip->tick;
        }
    }
    return first;
}

/// Return true if no peer is left in the match, and at least one of them crashed, said goodbye or
/// forged.
static bool is_empty_for_a_reason(const trial *c)
{
    bool has_gone = false;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const lab_peer *peer = &c->lab->peers[i];
        has_gone |= bksi_lab_is_gone(peer);
        if (bksi_lab_is_in(c->lab, i)) {
            return false;
        }
    }
    return has_gone;
}

static void check_safety(const trial *c, bks_oracle_verdict *verdict)
{
    const bks_lab_result *result = &verdict->result;
    if (c->lab->invariant_error[0] != '\0') {
        bks_tick tick = BKS_TICK_NONE;
        for (uint32_t i = 0; i < c->lab->config.peers; i++) {
            const bks_tick at = bks_session_tick(c->lab->peers[i].session);
            tick = at > tick ? at : tick;
        }
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, tick, "%s", c->lab->invariant_error);
    }
    const bool is_excused = is_empty_for_a_reason(c) || bksi_oracle_has_no_match(c->lab);
    const bool is_whole = result->compared + result->in_spans == bksi_lab_end(c->lab) || is_excused;
    if (planted_tick(c) != BKS_TICK_NONE) {
        // Check only that all ticks were compared: the lab itself checks that a planted desync is
        // found.
        if (result->is_over && !is_whole) {
            bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE, "%s", result->reason);
        }
        return;
    }
    if (result->desync_tick != BKS_TICK_NONE) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, result->desync_tick,
                         "the states differ from tick %d on", result->desync_tick);
    } else if (c->lab->moments[LAB_MOMENT_DESYNC] > 0) {
        bksi_oracle_fail(verdict, BKS_ORACLE_UNSAFE, result->desync_found_tick,
                         "a false alarm: a desync is reported at tick %d, and there is none",
                         result->desync_found_tick);
    }
    if (result->is_over && !result->agreed && !is_excused) {
        const bool is_unsafe = strstr(result->reason, "the inputs") == result->reason;
        bksi_oracle_fail(verdict, is_unsafe ? BKS_ORACLE_UNSAFE : BKS_ORACLE_DEAD, BKS_TICK_NONE,
                         "%s", result->reason);
    }
}

/// Return the first tick at which peers may hold inputs that no peer sampled; INT32_MAX: there is
/// none. A forger may forge its own inputs and those of a dead peer.
static bks_tick forged_tick(const trial *c)
{
    bks_tick first = INT32_MAX;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const bksi_lab_liar *liar = &c->lab->peers[i].liar;
        first = liar->is_forging && liar->forged_from < first ? liar->forged_from : first;
    }
    return first;
}

/// Compare the peers with the reference, up to the first tick whose inputs a fault made different.
static void compare_with_reference(trial *c, bks_oracle_verdict *verdict)
{
    const bks_tick parted = parted_tick(c);
    const bks_tick forged = forged_tick(c);
    bks_tick until = parted != BKS_TICK_NONE ? parted - 1 : c->lab->config.ticks;
    until = forged - 1 < until ? forged - 1 : until;
    bksi_oracle_compare_reference(c->match, c->lab, c->recordings, &c->cues, until, verdict);
}

/// Compare every recording with the match.
static void compare_recordings(const trial *c, bks_oracle_verdict *verdict)
{
    bks_tick lie = BKS_TICK_NONE;
    for (uint32_t i = 0; i < c->lab->faults.timed_count; i++) {
        const bks_lab_timed *fault = &c->lab->faults.timed[i];
        const bks_tick tick = bksi_lab_lie_tick(&c->lab->peers[fault->peer].liar);
        if (fault->kind == BKS_LAB_LIE && tick != BKS_TICK_NONE &&
            (lie == BKS_TICK_NONE || tick < lie)) {
            lie = tick;
        }
    }
    const bks_tick forged = forged_tick(c);
    bks_tick planted = planted_tick(c);
    if (forged != INT32_MAX) {
        lie = lie == BKS_TICK_NONE || forged < lie ? forged : lie;
        planted = planted == BKS_TICK_NONE || forged < planted ? forged : planted;
    }
    bksi_oracle_recordings_compare(c->recordings, c->lab, lie, planted, verdict);
}

// ---- running the match a second time ----

// Watchers come last in the result, so what is before them is the match's.
_Static_assert(offsetof(bks_lab_result, watchers) + sizeof(((bks_lab_result *)0)->watchers) ==
                   sizeof(bks_lab_result),
               "nothing is left out of the digest");

/// Return a digest of a match without its watchers: all packets, hashes, results and recordings.
static uint64_t match_digest(const trial *c, const bks_oracle_verdict *verdict)
{
    const size_t count = offsetof(bks_lab_result, watcher_count);
    uint64_t digest = bksi_hash64(&verdict->result, count, 0);
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const lab_peer *peer = &c->lab->peers[i];
        digest = bksi_hash64_pair(
            digest, bksi_hash64(peer->hashes, (size_t)peer->hash_count * sizeof(uint64_t), i));
    }
    return bksi_hash64_pair(digest, verdict->recorded);
}

/// Add the result of a watcher to a digest, without bytes between its members and with its text,
/// not where that lies: the digest is the same in every process.
static uint64_t with_watcher(uint64_t digest, const bks_lab_watcher_result *watcher)
{
    const uint64_t numbers[] = {watcher->peer,
                                watcher->source,
                                (uint64_t)watcher->first_tick,
                                (uint64_t)watcher->end_tick,
                                watcher->turns,
                                watcher->behind_ns_mean,
                                watcher->behind_ns_max,
                                watcher->has_come,
                                watcher->has_ended,
                                bksi_hash64(watcher->text, strlen(watcher->text), 0)};
    return bksi_hash64_pair(digest, bksi_hash64(numbers, sizeof(numbers), 0));
}

static uint64_t digest_of(const trial *c, const bks_oracle_verdict *verdict)
{
    uint64_t digest = match_digest(c, verdict);
    for (uint32_t i = 0; i < verdict->result.watcher_count; i++) {
        digest = with_watcher(digest, &verdict->result.watchers[i]);
    }
    return digest;
}

/// Run a match again, and compare its digest.
/// @param wanted  digest that it must have
/// @param why     fault if it has another
static bks_status run_again(const bks_oracle_match *match, uint64_t wanted, const char *why,
                            bks_oracle_verdict *verdict, bks_error *error)
{
    const bks_allocator *allocator = &match->config.allocator;
    bks_oracle_verdict *second = bksi_alloc(allocator, sizeof(*second), sizeof(uint64_t));
    if (second == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, CALL, NULL, "no memory to run it again");
    }
    trial again;
    const bks_status status = open_trial(&again, match, error);
    if (status == BKS_OK) {
        run(&again, second);
        bksi_oracle_recordings_finish(again.lab);
        compare_recordings(&again, second);
        second->recorded = bksi_oracle_recordings_digest(again.recordings);
        if (digest_of(&again, second) != wanted) {
            bksi_oracle_fail(verdict, BKS_ORACLE_VARIES, BKS_TICK_NONE, "%s", why);
        }
        verdict->peer_hours += second->peer_hours;
        close_trial(&again);
    }
    bksi_free(allocator, second, sizeof(*second));
    return status;
}

/// Check that no spec of a list is NULL.
static bks_status check_specs(const char *const *specs, uint32_t count, const char *name,
                              bks_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (specs == NULL || specs[i] == NULL) {
            return bksi_fail_null(error, CALL, name);
        }
    }
    return BKS_OK;
}

static bks_status check_match(const bks_oracle_match *match, bks_error *error)
{
    bks_status status = bks_lab_config_check(&match->config, error);
    status =
        status == BKS_OK ? check_specs(match->links, match->link_count, "links", error) : status;
    status =
        status == BKS_OK ? check_specs(match->faults, match->fault_count, "faults", error) : status;
    status = status == BKS_OK ? check_specs(match->streams, match->stream_count, "streams", error)
                              : status;
    return status == BKS_OK ? check_specs(match->watchers, match->watcher_count, "watchers", error)
                            : status;
}

bks_status bks_oracle_run(const bks_oracle_match *match, bks_oracle_verdict *out, bks_error *error)
{
    if (match == NULL || out == NULL) {
        return bksi_fail_null(error, CALL, match == NULL ? "match" : "out");
    }
    bks_status status = check_match(match, error);
    trial c;
    if (status == BKS_OK) {
        status = open_trial(&c, match, error);
    }
    if (status != BKS_OK) {
        return status;
    }
    memset(out, 0, sizeof(*out));
    out->tick = BKS_TICK_NONE;
    run(&c, out);
    bksi_oracle_recordings_finish(c.lab);
    check_safety(&c, out);
    if (match->is_scripted) {
        compare_with_reference(&c, out);
    }
    // Check recordings last, because a fault of a session shows in recordings, too, and the checks
    // before name it better.
    compare_recordings(&c, out);
    out->recorded = bksi_oracle_recordings_digest(c.recordings);
    out->digest = digest_of(&c, out);
    const uint64_t unwatched_digest = match_digest(&c, out);
    close_trial(&c);
    if (match->is_repeated) {
        BKSI_TRY(run_again(match, out->digest,
                           "the same seed gave another match when it was run again", out, error));
    }
    bks_oracle_match unwatched = *match;
    unwatched.watcher_count = 0;
    return match->watcher_count > 0 && out->kind == BKS_ORACLE_GOOD
               ? run_again(&unwatched, unwatched_digest,
                           "the match is another one without its watchers", out, error)
               : BKS_OK;
}
