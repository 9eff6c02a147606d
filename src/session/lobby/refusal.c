// SPDX-License-Identifier: MIT

// Refusals. A host refuses a guest that is not compatible or finds no seat. A guest refuses a match
// that it cannot make. Both peers report the reason to their players in words.

#include "session/lobby/refusal.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "session/common/session_config.h"

/// Shortest time between two events about refused guests. Otherwise a guest with the match key
/// could flood the player with events.
#define REPORT_GAP_NS (100 * NS_PER_MS)

/// Bytes of the reason in words; together with the text before it, it fills an event's text.
#define WHY_BYTES 104

static uint32_t count_free(const session_seats *seats)
{
    return seats->players - bksi_seats_taken(seats);
}

uint32_t bksi_refusal_find(const session_common *common, const bksi_join *join, int32_t *seat)
{
    bksi_mismatch mismatch = bksi_compat_compare(&common->compat, &join->compat);
    if (mismatch != BKSI_MISMATCH_NONE) {
        return mismatch;
    }
    if (bksi_phase_has_start(&common->phase)) {
        return BKSI_REFUSED_RUNNING;
    }
    if (bksi_peers_count(common->seats.all) == BKS_PEERS_MAX && count_free(&common->seats) > 0) {
        return BKSI_REFUSED_PEERS;
    }
    if (join->local_players > bksi_common_seats_most(common)) {
        return BKSI_REFUSED_SEATS; // a guest that wants so many does not keep to the protocol
    }
    *seat = bksi_seats_free(&common->seats, join->local_players, join->first_player);
    return *seat < 0 ? BKSI_REFUSED_SEATS : 0;
}

/// Describe the seats that a guest wanted in vain.
static void describe_seats(uint32_t wanted, int32_t first, uint32_t seats_free, char *text,
                           size_t capacity)
{
    if (seats_free == 0) {
        (void)snprintf(text, capacity, "the match is full");
    } else if (wanted > seats_free) {
        (void)snprintf(text, capacity, "%u seats wanted, %u free", wanted, seats_free);
    } else if (first >= 0 && wanted == 1) {
        (void)snprintf(text, capacity, "seat %d is taken", (int)first);
    } else if (first >= 0) {
        (void)snprintf(text, capacity, "seats %d to %d are not all free", (int)first,
                       (int)first + (int)wanted - 1);
    } else {
        (void)snprintf(text, capacity, "%u adjacent seats wanted, the %u free are not adjacent",
                       wanted, seats_free);
    }
}

/// Describe a refusal in words. `wanted` and `first` are the seats that the guest asked for.
static void describe_refusal(const session_common *common, const bksi_refuse *refuse,
                             const bksi_compat *theirs, uint32_t wanted, int32_t first, char *text,
                             size_t capacity)
{
    if (refuse->reason == BKSI_REFUSED_SEATS) {
        describe_seats(wanted, first, refuse->seats_free, text, capacity);
    } else if (refuse->reason == BKSI_REFUSED_PEERS) {
        (void)snprintf(text, capacity, "%d machines are there already, no more can join",
                       BKS_PEERS_MAX);
    } else if (refuse->reason == BKSI_REFUSED_RUNNING) {
        (void)snprintf(text, capacity, "the match is already under way");
    } else if (refuse->reason == BKSI_REFUSED_START) {
        (void)snprintf(text, capacity, "it cannot be made: %.84s", refuse->text);
    } else {
        bksi_compat_describe((bksi_mismatch)refuse->reason, &common->compat, theirs, text,
                             capacity);
    }
}

/// Log how to find what differs, because only hashes travel between peers before a match.
static void log_advice(uint32_t reason)
{
    if (reason == BKSI_MISMATCH_LAYOUT || reason == BKSI_REFUSED_UNEQUAL) {
        bksi_log(BKS_LOG_INFO, "session.refused",
                 "`bks check GAME --variants build=OTHER.so` names the first field in which two "
                 "builds differ");
    }
}

static void owe(session_refusal *refusal, const session_common *common, const session_start *start,
                bksi_channel to, uint64_t nonce, uint32_t reason)
{
    refusal->message = (bksi_refuse){
        .reason = reason,
        .nonce = nonce,
        .compat = common->compat,
        .seats_free = reason < BKSI_REFUSED_START ? count_free(&common->seats) : 0,
    };
    memcpy(refusal->message.text, refusal->problem, sizeof(refusal->problem));
    refusal->message.difference = start->difference;
    refusal->to = to;
    refusal->is_owed = true;
}

void bksi_refusal_of_guest(session_refusal *refusal, session_events *events,
                           const session_common *common, const session_start *start,
                           bksi_channel to, const bksi_join *join, uint32_t reason)
{
    // Report a refused guest only once, because it repeats its JOIN until it is answered. A failed
    // start has already been reported.
    bool is_reported = reason >= BKSI_REFUSED_START ||
                       (refusal->message.reason == reason && refusal->message.nonce == join->nonce);
    owe(refusal, common, start, to, join->nonce, reason);
    if (is_reported ||
        (refusal->refused_ns > 0 && common->now_ns - refusal->refused_ns < REPORT_GAP_NS)) {
        return;
    }
    refusal->refused_ns = common->now_ns;
    char why[WHY_BYTES];
    describe_refusal(common, &refusal->message, &join->compat, join->local_players,
                     join->first_player, why, sizeof(why));
    bks_event *event =
        bksi_events_report(events, BKS_EVENT_REFUSED, 0, BKS_TICK_NONE, "guest refused, %s", why);
    bksi_log(BKS_LOG_WARNING, "session.refused", "%s", event->text);
    log_advice(reason);
}

static void fail(session_phase *phase, session_events *events, const char *side, const char *why)
{
    bksi_phase_fail(phase);
    (void)bksi_events_report(events, BKS_EVENT_REFUSED, 0, BKS_TICK_NONE, "%s, %.103s", side, why);
}

void bksi_refusal_of_host(session_refusal *refusal, session_start *start, session_phase *phase,
                          session_events *events, const session_common *common,
                          const bksi_refuse *refuse)
{
    if (refuse->nonce != common->config.nonce) {
        return;
    }
    refusal->is_repeated = false;
    if (!bksi_phase_is_in_lobby(&common->phase) || bksi_phase_has_start(&common->phase)) {
        return;
    }
    if (refuse->reason == BKSI_REFUSED_UNEQUAL) {
        bksi_start_fail(start, phase, events, common, &refuse->difference);
        log_advice(refuse->reason);
        return;
    }
    char why[WHY_BYTES];
    describe_refusal(common, refuse, &refuse->compat, common->config.local_players,
                     bksi_session_wanted_seat(&common->config), why, sizeof(why));
    fail(phase, events, "the host refused us", why);
    bksi_log(BKS_LOG_ERROR, "session.refused", "the host refused us, %s", why);
    log_advice(refuse->reason);
}

bool bksi_refusal_by_guest(session_refusal *refusal, session_events *events,
                           const session_common *common, const session_start *start,
                           bksi_channel from, bool is_busy, const bksi_refuse *refuse)
{
    const uint32_t index = bksi_seats_peer(&common->seats, from);
    const bool is_news = index != BKS_PEERS_MAX &&
                         common->seats.peers[index].nonce == refuse->nonce &&
                         bksi_phase_is_in_lobby(&common->phase);
    if (is_news && is_busy) {
        return false;
    }
    owe(refusal, common, start, from, refuse->nonce, BKSI_REFUSED_START);
    if (!is_news) {
        return false;
    }
    bks_event *event = bksi_events_report(events, BKS_EVENT_REFUSED, index, BKS_TICK_NONE,
                                          "peer %u cannot make the match: %s", index, refuse->text);
    bksi_log(BKS_LOG_WARNING, "session.refused", "%s", event->text);
    return true;
}

uint32_t bksi_refusal_reason(const session_start *start)
{
    return start->difference.peers != 0 ? BKSI_REFUSED_UNEQUAL : BKSI_REFUSED_START;
}

void bksi_refusal_of_match(session_refusal *refusal, session_phase *phase, session_events *events,
                           uint64_t now_ns, const char *problem)
{
    (void)snprintf(refusal->problem, sizeof(refusal->problem), "%s", problem);
    for (char *at = refusal->problem; *at != '\0'; at++) {
        *at = *at >= 0x20 && *at <= 0x7e ? *at : '?';
    }
    fail(phase, events, "the match cannot be made", refusal->problem);
    bksi_refusal_begin(refusal, now_ns);
}

void bksi_refusal_left(session_events *events, uint32_t peer, const char *how)
{
    bks_event *event = bksi_events_raise(events, BKS_EVENT_LEFT, peer, BKS_TICK_NONE);
    if (peer == 0) {
        bksi_event_describe(event, "the host %s before the start", how);
    } else {
        bksi_event_describe(event, "peer %u %s before the start, its seats are free again", peer,
                            how);
    }
    bksi_log(BKS_LOG_INFO, "session.left", "%s", event->text);
}

void bksi_refusal_of_silent_host(session_refusal *refusal, session_phase *phase,
                                 session_goodbyes *goodbyes, session_events *events,
                                 const session_common *common, uint64_t patience_ns)
{
    refusal->has_lost_host = true;
    bksi_phase_fail(phase);
    // Tell the host that we left, because its process may just have been frozen, and it would wait
    // for us.
    bksi_goodbyes_leave(goodbyes, PEER_BIT(0), common->now_ns);
    bksi_goodbyes_give_up(goodbyes, bksi_common_others(common) & ~PEER_BIT(0));
    bks_event *event = bksi_events_report(events, BKS_EVENT_LOST, 0, BKS_TICK_NONE,
                                          "nothing heard from the host for %u ms before the start",
                                          (unsigned)(patience_ns / NS_PER_MS));
    bksi_log(BKS_LOG_ERROR, "session.lost", "%s", event->text);
}

void bksi_refusal_begin(session_refusal *refusal, uint64_t now_ns)
{
    refusal->is_repeated = true;
    refusal->refused_ns = now_ns;
}

void bksi_refusal_repeat(session_refusal *refusal, const session_common *common,
                         const session_start *start, uint64_t patience_ns)
{
    refusal->is_repeated &= common->now_ns - refusal->refused_ns < patience_ns;
    // A host does not repeat refusals: it answers each guest that asks.
    if (refusal->is_repeated && !common->config.is_host) {
        owe(refusal, common, start, common->seats.peers[0].channel, common->config.nonce,
            BKSI_REFUSED_START);
    }
}

size_t bksi_refusal_send(session_refusal *refusal, bksi_channel *to, uint8_t *body)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    refusal->is_owed = false;
    *to = refusal->to;
    bksi_refuse_write(&writer, &refusal->message);
    return writer.at;
}
