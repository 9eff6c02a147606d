// SPDX-License-Identifier: MIT

#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "lab/lab_internal.h"
#include "session/plant.h"

#define SECOND_NS UINT64_C(1000000000)

/// Between the heal and full rate, and for how long the rate is then measured.
#define PATIENCE_NS (2 * SECOND_NS)
#define MEASURED_NS (3 * SECOND_NS / 2)

/// Full rate: `slew` makes ticks up to 2 % longer, and a tick may fall on either side of an end.
/// Ticks that `stall` passes on purpose count: whoever could send nothing for a while may be half a
/// window ahead, and gives that up.
#define RATE_SHARE   0.97
#define TICKS_BESIDE 2

/// When a silent peer is dropped, by default.
#define DROP_AFTER_NS (5 * SECOND_NS)

/// A desync that was planted is found so long after it at most, whatever else goes on.
#define FOUND_WITHIN_NS (6 * SECOND_NS)

/// One match being run.
typedef struct court {
    const judge_match *match;
    bks_lab *lab;
    bool has_heal;
    uint64_t heal_ns; ///< after the first tick: when the last fault has ended
    bool expects_desync;
    bks_tick straight_until;       ///< hashes up to here must be those of the straight run
    bks_tick begun[BKS_PEERS_MAX]; ///< ticks when the measuring began
    uint32_t stage;                ///< marks passed: begin and end of the measuring
} court;

static void find_against(judge_verdict *verdict, judge_kind kind, bks_tick tick, const char *format,
                         ...) BKS_PRINTF(4, 5);

/// Only the worst is told, of equals the first.
static void find_against(judge_verdict *verdict, judge_kind kind, bks_tick tick, const char *format,
                         ...)
{
    if (kind <= verdict->kind) {
        return;
    }
    verdict->kind = kind;
    verdict->tick = tick;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(verdict->why, sizeof(verdict->why), format, arguments);
    va_end(arguments);
}

static bks_status open_court(court *c, const judge_match *match, bks_error *error)
{
    bks_lab_config config = match->config;
    config.clock_ns = NULL; // costs are no part of what must be the same
    config.allocations = NULL;
    memset(config.records, 0, sizeof(config.records));
    *c = (court){.match = match, .straight_until = config.ticks};
    source_set_rewind(match->sources);
    bks_status status = bks_lab_create(&config, &c->lab, error);
    for (uint32_t i = 0; status == BKS_OK && i < match->links->count; i++) {
        status = bks_lab_link(c->lab, match->links->items[i], error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < match->faults->count; i++) {
        status = bks_lab_fault(c->lab, match->faults->items[i], error);
    }
    if (status != BKS_OK) {
        bks_lab_destroy(c->lab);
        return status;
    }
    const bksi_lab_faults *faults = &c->lab->faults;
    for (uint32_t i = 0; i < faults->timed_count; i++) {
        const bksi_lab_timed *fault = &faults->timed[i];
        // The others wait for a peer that crashed until they drop it.
        const uint64_t end_ns =
            fault->at_ns + (fault->kind == BKSI_LAB_CRASH ? DROP_AFTER_NS : fault->span_ns);
        c->expects_desync |= fault->kind == BKSI_LAB_LIE;
        c->has_heal |= fault->kind == BKSI_LAB_HEAL;
        c->heal_ns = end_ns > c->heal_ns ? end_ns : c->heal_ns;
    }
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        c->expects_desync |= faults->flips[i].is_planted;
    }
    return BKS_OK;
}

// ---- alive ----

/// Ticks stepped or passed on purpose.
static bks_tick ticks_of(const lab_peer *peer)
{
    bks_session_stats stats;
    (void)bks_session_get_stats(peer->session, &stats);
    return bks_session_tick(peer->session) + (bks_tick)stats.stalled_ticks;
}

static void measure_rate(const court *c, judge_verdict *verdict)
{
    const double seconds = (double)MEASURED_NS / (double)SECOND_NS;
    const int32_t wanted =
        (int32_t)(seconds * c->lab->config.game->tick_rate_hz * RATE_SHARE) - TICKS_BESIDE;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const lab_peer *peer = &c->lab->peers[i];
        const bks_tick now = ticks_of(peer);
        const bool is_over = bks_session_tick(peer->session) >= c->lab->config.ticks;
        if (!peer->is_crashed && !peer->is_out && !is_over && now - c->begun[i] < wanted) {
            find_against(verdict, JUDGE_DEAD, BKS_TICK_NONE,
                         "peer %u advanced %d ticks in %.1f s that began 2 s after the heal, must "
                         "be at least %d",
                         i, now - c->begun[i], seconds, wanted);
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
    if (c->has_heal && c->stage < 2) {
        wanted_ns = first_ns + c->heal_ns + PATIENCE_NS + (c->stage == 1 ? MEASURED_NS : 0);
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
    if (!c->has_heal || c->stage >= 2 ||
        since_ns < c->heal_ns + PATIENCE_NS + (c->stage == 1 ? MEASURED_NS : 0)) {
        return;
    }
    if (c->stage++ == 1) {
        measure_rate(c, verdict);
        return;
    }
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        c->begun[i] = ticks_of(&c->lab->peers[i]);
    }
}

/// Whoever left took its inputs along.
static void find_leavers(court *c)
{
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        bks_roster roster;
        if (bks_session_roster(c->lab->peers[i].session, &roster) != BKS_OK) {
            continue;
        }
        for (uint32_t k = 0; k < roster.peers; k++) {
            const bks_tick end = roster.end[k];
            c->straight_until =
                end != BKS_TICK_NONE && end < c->straight_until ? end : c->straight_until;
        }
    }
}

/// The first tick at which a state is spoiled, BKS_TICK_NONE when none really was.
static bks_tick flipped_tick(const court *c)
{
    bks_tick first = BKS_TICK_NONE;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        const bksi_lab_flip *flip = &c->lab->faults.flips[i];
        const bool flipped =
            flip->is_planted && bks_session_tick(c->lab->peers[i].session) >= flip->tick;
        if (flipped && (first == BKS_TICK_NONE || flip->tick < first)) {
            first = flip->tick;
        }
    }
    return first;
}

/// Whether somebody was made to differ.
static bool has_desync(const court *c)
{
    bool has_lie = false;
    for (uint32_t i = 0; i < c->lab->config.peers; i++) {
        has_lie |= bksi_lab_lie_mattered(c->lab, i);
    }
    return has_lie || flipped_tick(c) != BKS_TICK_NONE;
}

/// Run to the end, or until it is clear that it is bad.
static void run(court *c, judge_verdict *verdict)
{
    uint64_t until_ns = UINT64_MAX;
    while (bks_lab_advance(c->lab, next_mark(c))) {
        look(c, verdict);
        const bool is_bad = c->lab->broken[0] != '\0' ||
                            (c->lab->moments[LAB_MOMENT_DESYNC] > 0 && !c->expects_desync);
        if (is_bad && until_ns == UINT64_MAX) {
            until_ns = bks_lab_now(c->lab) + SECOND_NS; // for the others' hashes
        }
        if (bks_lab_now(c->lab) >= until_ns) {
            break;
        }
    }
    const uint64_t hour_ns = 3600 * SECOND_NS;
    (void)bks_lab_get_result(c->lab, &verdict->result);
    find_leavers(c);
    c->expects_desync = has_desync(c);
    verdict->peer_hours +=
        c->lab->config.peers * (double)verdict->result.match_ns / (double)hour_ns;
}

// ---- safe ----

/// A state was spoiled: it must be found. That a lie is found the lab watches over, by what was
/// heard since.
static void judge_planted(const court *c, judge_verdict *verdict)
{
    const bks_lab_result *result = &verdict->result;
    const uint64_t rate = c->lab->config.game->tick_rate_hz;
    const bks_tick within = (bks_tick)(FOUND_WITHIN_NS * rate / SECOND_NS);
    const bks_tick tick = flipped_tick(c);
    const bks_tick found = result->desync_found_tick;
    if (tick == BKS_TICK_NONE || tick + within >= c->lab->config.ticks) {
        return; // the match was over before it had to be found
    }
    if (found == BKS_TICK_NONE) {
        find_against(verdict, JUDGE_UNSAFE, BKS_TICK_NONE,
                     "a desync was planted at tick %d, and nobody found it", tick);
    } else if (found > tick + within) {
        find_against(verdict, JUDGE_UNSAFE, BKS_TICK_NONE,
                     "a desync of tick %d was found only at tick %d", tick, found);
    }
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
        find_against(verdict, JUDGE_UNSAFE, tick, "%s", c->lab->broken);
    }
    if (c->expects_desync) {
        judge_planted(c, verdict);
        return;
    }
    if (result->desync_tick != BKS_TICK_NONE) {
        find_against(verdict, JUDGE_UNSAFE, result->desync_tick,
                     "the states differ from tick %d on", result->desync_tick);
    } else if (c->lab->moments[LAB_MOMENT_DESYNC] > 0) {
        find_against(verdict, JUDGE_UNSAFE, result->desync_found_tick,
                     "a false alarm: a desync is told at tick %d, and there is none",
                     result->desync_found_tick);
    }
    if (result->is_over && !result->agreed) {
        const bool is_unsafe = strstr(result->reason, "the inputs") == result->reason;
        find_against(verdict, is_unsafe ? JUDGE_UNSAFE : JUDGE_DEAD, BKS_TICK_NONE, "%s",
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

/// The same inputs, played straight by one peer with all seats.
static bks_lab *play_straight(const judge_match *match)
{
    bks_lab_config config = match->config;
    config.peers = 1;
    for (uint32_t i = 1; i < match->config.peers; i++) {
        config.players_on[0] += config.players_on[i];
    }
    config.clock_ns = NULL;
    config.allocations = NULL;
    config.delay_ticks = 0;
    memset(config.records, 0, sizeof(config.records));
    source_set_rewind(match->sources);
    const bksi_plant planted = bksi_plant_now;
    bksi_plant_now = BKSI_PLANT_NONE;
    bks_lab *lab = NULL;
    if (bks_lab_create(&config, &lab, NULL) == BKS_OK) {
        while (bks_lab_advance(lab, UINT64_MAX)) {
        }
    }
    bksi_plant_now = planted;
    return lab;
}

static void compare_with_straight(const court *c, judge_verdict *verdict)
{
    bks_lab *straight = play_straight(c->match);
    for (uint32_t i = 0; straight != NULL && i < c->lab->config.peers; i++) {
        uint64_t wanted = 0;
        uint64_t hash = 0;
        for (bks_tick tick = 0; tick <= c->straight_until; tick++) {
            if (bks_lab_hash(straight, 0, tick, &wanted) != BKS_OK ||
                bks_lab_hash(c->lab, i, tick, &hash) != BKS_OK) {
                break;
            }
            if (hash != wanted) {
                find_against(verdict, JUDGE_UNSAFE, tick,
                             "peer %u confirmed another tick %d than the inputs played straight", i,
                             tick);
                break;
            }
        }
    }
    bks_lab_destroy(straight);
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
    return digest;
}

static void run_again(const judge_match *match, judge_verdict *verdict)
{
    judge_verdict *second = calloc(1, sizeof(*second));
    court again;
    if (second != NULL && open_court(&again, match, NULL) == BKS_OK) {
        run(&again, second);
        if (digest_of(&again, second) != verdict->digest) {
            find_against(verdict, JUDGE_VARIES, BKS_TICK_NONE,
                         "run again, it was not the same match");
        }
        verdict->peer_hours += second->peer_hours;
        bks_lab_destroy(again.lab);
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
    out->digest = digest_of(&c, out);
    judge_safety(&c, out);
    if (is_scripted(match) && !c.expects_desync) {
        compare_with_straight(&c, out);
    }
    bks_lab_destroy(c.lab);
    if (match->is_twice) {
        run_again(match, out);
    }
    return true;
}
