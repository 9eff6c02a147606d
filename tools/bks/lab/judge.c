// SPDX-License-Identifier: MIT

#include "lab/judge.h"
#include "lab/lab_finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/report.h"
#include "lab/judge_recording.h"

#define SECOND_NS UINT64_C(1000000000)

/// Between the heal and full rate, and for how long the rate is then measured.
#define PATIENCE_NS (2 * SECOND_NS)
#define MEASURED_NS (3 * SECOND_NS / 2)

/// Full rate: `slew` makes ticks up to 2 % longer, and a tick may fall on either side of an end.
/// Ticks that `stall` passes on purpose count: whoever could send nothing for a while may be half a
/// window ahead, and gives that up.
#define RATE_SHARE   0.97
#define TICKS_BESIDE 2

/// One match being run.
typedef struct court {
    const judge_match *match;
    bks_lab *lab;
    judge_tapes *tapes; ///< what its peers record
    judge_outlook outlook;
    bool may_differ;               ///< a desync is planted, whether or not it comes to that
    bks_tick begun[BKS_PEERS_MAX]; ///< ticks when the measuring began
    uint32_t stage;                ///< marks passed: begin and end of the measuring
} court;

static uint64_t longest_way_ns(const bks_lab *lab)
{
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < lab->config.peers * lab->config.peers; i++) {
        const bksi_lab_link *link = lab->links[i / lab->config.peers][i % lab->config.peers];
        const uint64_t way_ns =
            link != NULL ? bks_lab_link_longest_ns(bksi_lab_link_get_spec(link)) : 0;
        longest_ns = way_ns > longest_ns ? way_ns : longest_ns;
    }
    return longest_ns;
}

static void close_court(court *c)
{
    bks_lab_destroy(c->lab);
    judge_tapes_end(c->tapes);
}

static bks_status open_court(court *c, const judge_match *match, bks_error *error)
{
    bks_lab_config config = match->config;
    config.clock_ns = NULL; // costs are no part of what must be the same
    config.allocations = NULL;
    *c = (court){.match = match};
    c->tapes = judge_tapes_begin(match, &config);
    source_set_rewind(match->sources);
    bks_status status = c->tapes != NULL ? bks_lab_create(&config, &c->lab, error)
                                         : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "judge", NULL,
                                                     "no memory for the recordings");
    for (uint32_t i = 0; status == BKS_OK && i < match->links->count; i++) {
        status = bks_lab_link(c->lab, match->links->items[i], error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < match->faults->count; i++) {
        status = bks_lab_fault(c->lab, match->faults->items[i], error);
    }
    if (status != BKS_OK) {
        close_court(c);
        return status;
    }
    const bks_lab_faults *faults = &c->lab->faults;
    const uint64_t match_ns = (uint64_t)config.ticks * SECOND_NS / config.game->tick_rate_hz;
    c->outlook = judge_look_out(faults->timed, faults->timed_count, config.peers, match_ns,
                                longest_way_ns(c->lab));
    for (uint32_t i = 0; i < faults->timed_count; i++) {
        c->may_differ |= faults->timed[i].kind == BKS_LAB_LIE;
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        c->may_differ |= faults->flips[i].is_planted;
    }
    return BKS_OK;
}

// ---- alive ----

/// Ticks stepped or passed on purpose.
static bks_tick ticks_of(const lab_peer *peer)
{
    bks_stats stats;
    (void)bks_session_stats(peer->session, &stats);
    return bks_session_tick(peer->session) + (bks_tick)stats.stalled_ticks;
}

/// Whether a peer is still playing.
static bool plays(const court *c, uint32_t index)
{
    const lab_peer *peer = &c->lab->peers[index];
    return !bksi_lab_is_gone(peer) && !peer->is_out &&
           bks_session_tick(peer->session) < c->lab->config.ticks;
}

static void measure_rate(const court *c, judge_verdict *verdict)
{
    const double seconds = (double)MEASURED_NS / (double)SECOND_NS;
    const int32_t wanted =
        (int32_t)(seconds * c->lab->config.game->tick_rate_hz * RATE_SHARE) - TICKS_BESIDE;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const lab_peer *peer = &c->lab->peers[i];
        const bks_tick now = ticks_of(peer);
        if (plays(c, i) && bksi_lab_is_in(c->lab, i) && now - c->begun[i] < wanted) {
            judge_find(verdict, JUDGE_DEAD, BKS_TICK_NONE,
                       "peer %u advanced %d ticks in %.1f s that began 2 s after the last fault, "
                       "must be at least %d",
                       i, now - c->begun[i], seconds, wanted);
        }
    }
}

/// Of two sides that can talk to each other one must have ended by now.
static void look_for_sides(const court *c, judge_verdict *verdict)
{
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        for (uint32_t k = 0; k < c->lab->config.peers; k++) {
            bks_roster roster;
            (void)bks_session_roster(c->lab->peers[i].session, &roster);
            if (i != k && plays(c, i) && plays(c, k) && !roster.is_in[k] &&
                (c->outlook.apart[i] >> k & 1u) == 0) {
                judge_find(
                    verdict, JUDGE_DEAD, BKS_TICK_NONE,
                    "peer %u can talk to peer %u again since the last fault ended 3.5 s ago, "
                    "and plays on without it",
                    i, k);
            }
        }
    }
}

/// When to look next.
static uint64_t next_mark(const court *c)
{
    const uint64_t first_ns = c->lab->first_tick_ns;
    const uint64_t now_ns = bks_lab_now(c->lab);
    if (first_ns == UINT64_MAX) {
        return now_ns + SECOND_NS / 20;
    }
    uint64_t mark_ns = now_ns + SECOND_NS;
    uint64_t wanted_ns = UINT64_MAX;
    if (c->outlook.has_heal && c->stage < 2) {
        wanted_ns = first_ns + c->outlook.over_ns + PATIENCE_NS + (c->stage == 1 ? MEASURED_NS : 0);
    }
    return wanted_ns < mark_ns ? wanted_ns : mark_ns;
}

static void look(court *c, judge_verdict *verdict)
{
    const uint64_t first_ns = c->lab->first_tick_ns;
    if (first_ns == UINT64_MAX) {
        return;
    }
    const uint64_t since_ns = bks_lab_now(c->lab) - first_ns;
    if (!c->outlook.has_heal || c->stage >= 2 ||
        since_ns < c->outlook.over_ns + PATIENCE_NS + (c->stage == 1 ? MEASURED_NS : 0)) {
        return;
    }
    if (c->stage++ == 1) {
        measure_rate(c, verdict);
        look_for_sides(c, verdict);
        return;
    }
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        c->begun[i] = ticks_of(&c->lab->peers[i]);
    }
}

/// Nobody is let go who said no goodbye and was not silent for long.
static void look_for_leavers(const court *c, judge_verdict *verdict)
{
    for (uint32_t i = 0; i < c->lab->config.peers && !c->outlook.may_part; i++) {
        bks_roster roster;
        (void)bks_session_roster(c->lab->peers[i].session, &roster);
        for (uint32_t k = 0; k < roster.peers; k++) {
            if (!roster.is_in[k] && (c->outlook.leavers >> k & 1u) == 0) {
                judge_find(verdict, JUDGE_DEAD, BKS_TICK_NONE,
                           "peer %u let peer %u go at tick %d, but no fault silences anybody for "
                           "that long",
                           i, k, roster.end[k]);
            }
        }
    }
}

/// Run to the end, or until it is clear that it is bad.
static void run(court *c, judge_verdict *verdict)
{
    uint64_t until_ns = UINT64_MAX;
    while (bks_lab_advance(c->lab, next_mark(c))) {
        look(c, verdict);
        const bool is_bad = verdict->kind != JUDGE_GOOD || c->lab->broken[0] != '\0' ||
                            (c->lab->moments[LAB_MOMENT_DESYNC] > 0 && !c->may_differ);
        if (is_bad && until_ns == UINT64_MAX) {
            until_ns = bks_lab_now(c->lab) + SECOND_NS; // for the others' hashes
        }
        if (bks_lab_now(c->lab) >= until_ns) {
            break;
        }
    }
    const uint64_t hour_ns = 3600 * SECOND_NS;
    (void)bks_lab_outcome(c->lab, &verdict->result);
    look_for_leavers(c, verdict);
    verdict->peer_hours +=
        c->lab->config.peers * (double)verdict->result.match_ns / (double)hour_ns;
}

// ---- safe ----

/// The first tick at which peers were made to differ, BKS_TICK_NONE when none really was.
static bks_tick planted_tick(const court *c)
{
    bks_tick first = BKS_TICK_NONE;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const bks_session *session = c->lab->peers[i].session;
        const bks_lab_flip *flip = &c->lab->faults.flips[i];
        if (flip->is_planted && bks_session_tick(session) >= flip->tick &&
            (first == BKS_TICK_NONE || flip->tick < first)) {
            first = flip->tick;
        }
        const bks_tick lie = bksi_lab_lie_tick(&c->lab->peers[i].liar);
        if (bksi_lab_lie_mattered(c->lab, i) && (first == BKS_TICK_NONE || lie < first)) {
            first = lie;
        }
    }
    return first;
}

/// Whether nobody is left because those crashed or said goodbye who stayed when others were let go.
static bool is_empty_for_a_reason(const court *c)
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

static void judge_safety(const court *c, judge_verdict *verdict)
{
    const bks_lab_result *result = &verdict->result;
    if (c->lab->broken[0] != '\0') {
        bks_tick tick = BKS_TICK_NONE;
        for (uint32_t i = 0; i < c->lab->config.peers; i++) {
            const bks_tick at = bks_session_tick(c->lab->peers[i].session);
            tick = at > tick ? at : tick;
        }
        judge_find(verdict, JUDGE_UNSAFE, tick, "%s", c->lab->broken);
    }
    const bool is_whole = result->compared == c->lab->config.ticks || is_empty_for_a_reason(c);
    if (planted_tick(c) != BKS_TICK_NONE) {
        // That it is found is a promise that the lab watches over.
        if (result->is_over && !is_whole) {
            judge_find(verdict, JUDGE_DEAD, BKS_TICK_NONE, "%s", result->reason);
        }
        return;
    }
    if (result->desync_tick != BKS_TICK_NONE) {
        judge_find(verdict, JUDGE_UNSAFE, result->desync_tick, "the states differ from tick %d on",
                   result->desync_tick);
    } else if (c->lab->moments[LAB_MOMENT_DESYNC] > 0) {
        judge_find(verdict, JUDGE_UNSAFE, result->desync_found_tick,
                   "a false alarm: a desync is told at tick %d, and there is none",
                   result->desync_found_tick);
    }
    if (result->is_over && !result->agreed && !is_empty_for_a_reason(c)) {
        const bool is_unsafe = strstr(result->reason, "the inputs") == result->reason;
        judge_find(verdict, is_unsafe ? JUDGE_UNSAFE : JUDGE_DEAD, BKS_TICK_NONE, "%s",
                   result->reason);
    }
}

/// Whether inputs depend on nothing but seed, seat and tick.
static bool is_scripted(const judge_match *match)
{
    uint32_t players = 0;
    for (uint32_t i = 0; i < match->config.peers; i++) {
        players += match->config.players_on[i];
    }
    for (uint32_t i = 0; i < players; i++) {
        if (source_set_kind(match->sources, i) == SOURCE_BOT) {
            return false;
        }
    }
    return true;
}

/// Up to where a desync was planted, everything must be as without it.
static void compare_with_straight(const court *c, judge_verdict *verdict)
{
    const bks_tick planted = planted_tick(c);
    const bks_tick until = planted != BKS_TICK_NONE ? planted - 1 : c->lab->config.ticks;
    judge_straight(c->match, c->lab, until, verdict);
}

/// Hold every recording against what was played.
static void compare_recordings(const court *c, judge_verdict *verdict)
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
    judge_tapes_compare(c->tapes, c->lab, lie, planted_tick(c), verdict);
}

// ---- the same again ----

static uint64_t digest_of(const court *c, const judge_verdict *verdict)
{
    uint64_t digest = bksi_hash64(&verdict->result, sizeof(verdict->result), 0);
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const lab_peer *peer = &c->lab->peers[i];
        digest = bksi_hash64_pair(
            digest, bksi_hash64(peer->hashes, (size_t)peer->hash_count * sizeof(uint64_t), i));
    }
    return bksi_hash64_pair(digest, verdict->recorded);
}

static void run_again(const judge_match *match, judge_verdict *verdict)
{
    judge_verdict *second = calloc(1, sizeof(*second));
    court again;
    if (second != NULL && open_court(&again, match, NULL) == BKS_OK) {
        run(&again, second);
        compare_recordings(&again, second);
        second->recorded = judge_tapes_digest(again.tapes);
        if (digest_of(&again, second) != verdict->digest) {
            judge_find(verdict, JUDGE_VARIES, BKS_TICK_NONE,
                       "run again, it was not the same match");
        }
        verdict->peer_hours += second->peer_hours;
        close_court(&again);
    }
    free(second);
}

bool judge_run(const judge_match *match, judge_verdict *out)
{
    memset(out, 0, sizeof(*out));
    out->tick = BKS_TICK_NONE;
    bks_error error = {0};
    court c;
    if (open_court(&c, match, &error) != BKS_OK) {
        (void)snprintf(out->why, sizeof(out->why), "%s", error.text);
        return false;
    }
    run(&c, out);
    judge_safety(&c, out);
    if (is_scripted(match)) {
        compare_with_straight(&c, out);
    }
    compare_recordings(&c, out); // a session's fault shows in them too, and has better names
    out->recorded = judge_tapes_digest(c.tapes);
    out->digest = digest_of(&c, out);
    close_court(&c);
    if (match->is_twice) {
        run_again(match, out);
    }
    return true;
}
