// SPDX-License-Identifier: MIT

// Why there is no match: a host refuses a guest with other facts or without a seat, a guest refuses
// what it cannot make. Both sides are told, in words for players.

#include "session/refusal.h"

#include "session/session_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"

/// Not more often than this is a player told of a guest that is refused: who has the match key
/// could else call so often that nothing but that is told.
#define TOLD_GAP_NS (100 * NS_PER_MS)

/// Room for what differs; with who refused whom before it, it fills an event's text.
#define WHY_BYTES 104

uint32_t bksi_refusal_find(const bks_session *session, const bksi_join *join, uint32_t seats_free,
                           bool is_running, int32_t *seat)
{
    bksi_fact fact = bksi_facts_compare(&session->common.facts, &join->facts);
    if (fact != BKSI_FACT_NONE) {
        return fact;
    }
    if (is_running) {
        return BKSI_REFUSED_RUNNING;
    }
    if (session->common.seats.peer_count == BKS_PEERS_MAX && seats_free > 0) {
        return BKSI_REFUSED_PEERS;
    }
    *seat = bksi_seats_free(&session->common.seats, join->local_players, join->first_player);
    return *seat < 0 ? BKSI_REFUSED_SEATS : 0;
}

/// What a guest wanted in vain.
static void tell_seats(uint32_t wanted, int32_t first, uint32_t seats_free, char *text,
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
        (void)snprintf(text, capacity, "%u seats wanted side by side, the %u free are not", wanted,
                       seats_free);
    }
}

/// In words. `wanted` and `first` are the guest's, `refuse` tells the other side's facts or is
/// ours.
static void tell(const bks_session *session, const bksi_refuse *refuse, const bksi_facts *theirs,
                 uint32_t wanted, int32_t first, char *text, size_t capacity)
{
    if (refuse->reason == BKSI_REFUSED_SEATS) {
        tell_seats(wanted, first, refuse->seats_free, text, capacity);
    } else if (refuse->reason == BKSI_REFUSED_PEERS) {
        (void)snprintf(text, capacity, "%d machines are there already, no more can join",
                       BKS_PEERS_MAX);
    } else if (refuse->reason == BKSI_REFUSED_RUNNING) {
        (void)snprintf(text, capacity, "the match is already under way");
    } else if (refuse->reason == BKSI_REFUSED_START) {
        (void)snprintf(text, capacity, "it cannot be made: %.84s", refuse->text);
    } else {
        bksi_facts_tell((bksi_fact)refuse->reason, &session->common.facts, theirs, text, capacity);
    }
}

static void owe(bks_session *session, bksi_channel to, uint64_t nonce, uint32_t reason,
                uint32_t seats_free)
{
    session->refusal.message = (bksi_refuse){
        .reason = reason, .nonce = nonce, .facts = session->common.facts, .seats_free = seats_free};
    memcpy(session->refusal.message.text, session->refusal.problem,
           sizeof(session->refusal.problem));
    session->refusal.message.difference = session->start.difference;
    session->refusal.to = to;
    session->refusal.is_owed = true;
}

void bksi_refusal_of_guest(bks_session *session, bksi_channel to, const bksi_join *join,
                           uint32_t reason, uint32_t seats_free)
{
    // It asks until it hears, and our player shall be told once. Ours to blame is told already.
    bool is_told = reason >= BKSI_REFUSED_START || (session->refusal.message.reason == reason &&
                                                    session->refusal.message.nonce == join->nonce);
    owe(session, to, join->nonce, reason, seats_free);
    if (is_told || (session->refusal.refused_ns > 0 &&
                    session->common.now_ns - session->refusal.refused_ns < TOLD_GAP_NS)) {
        return;
    }
    session->refusal.refused_ns = session->common.now_ns;
    char why[WHY_BYTES];
    tell(session, &session->refusal.message, &join->facts, join->local_players, join->first_player,
         why, sizeof(why));
    bks_event *event =
        bksi_events_raise(&session->common.events, BKS_EVENT_REFUSED, 0, BKS_TICK_NONE);
    (void)snprintf(event->text, sizeof(event->text), "guest refused, %s", why);
    bksi_log(BKS_LOG_WARNING, "session.refused", "%s", event->text);
}

static void fail(bks_session *session, const char *who, const char *why)
{
    bksi_phase_enter(session, BKS_PHASE_FAILED);
    bks_event *event =
        bksi_events_raise(&session->common.events, BKS_EVENT_REFUSED, 0, BKS_TICK_NONE);
    (void)snprintf(event->text, sizeof(event->text), "%s, %.103s", who, why);
}

/// The host's word. One that says it because we did has heard us.
static void receive_of_host(bks_session *session, const bksi_refuse *refuse)
{
    if (refuse->nonce != session->common.config.nonce) {
        return;
    }
    session->refusal.is_repeated = false;
    if (session->common.phase != BKS_PHASE_GATHERING || session->lobby.stage == LOBBY_GO) {
        return;
    }
    if (refuse->reason == BKSI_REFUSED_UNEQUAL) {
        bksi_start_verdict(session, &refuse->difference);
        return;
    }
    char why[WHY_BYTES];
    tell(session, refuse, &refuse->facts, session->common.config.local_players,
         bksi_session_wanted_seat(&session->common.config), why, sizeof(why));
    fail(session, "the host refused us", why);
    bksi_log(BKS_LOG_ERROR, "session.refused", "the host refused us, %s", why);
}

/// A guest cannot play what is to be played. It says so until it is answered.
/// @return the guest that is to go, BKS_PEERS_MAX: none
static uint32_t receive_of_guest(bks_session *session, bksi_channel from, bool is_busy,
                                 const bksi_refuse *refuse)
{
    uint32_t index = bksi_seats_peer(&session->common.seats, from);
    bool is_news = index != BKS_PEERS_MAX &&
                   session->common.seats.peers[index].nonce == refuse->nonce &&
                   session->common.phase == BKS_PHASE_GATHERING;
    if (is_news && is_busy) {
        return BKS_PEERS_MAX; // it says so again
    }
    owe(session, from, refuse->nonce, BKSI_REFUSED_START, 0);
    if (!is_news) {
        return BKS_PEERS_MAX;
    }
    bks_event *event =
        bksi_events_raise(&session->common.events, BKS_EVENT_REFUSED, index, BKS_TICK_NONE);
    (void)snprintf(event->text, sizeof(event->text), "peer %u cannot make the match: %s", index,
                   refuse->text);
    bksi_log(BKS_LOG_WARNING, "session.refused", "%s", event->text);
    return index;
}

bool bksi_refusal_receive(bks_session *session, bksi_channel from, bool is_busy,
                          bksi_byte_reader *reader, uint32_t *gone)
{
    *gone = BKS_PEERS_MAX;
    bksi_refuse refuse;
    if (!bksi_refuse_read(reader, &refuse)) {
        return false;
    }
    bool is_host = session->common.config.is_host;
    if (is_host && (refuse.reason != BKSI_REFUSED_START || session->lobby.stage == LOBBY_GO)) {
        return false;
    }
    if (is_host) {
        *gone = receive_of_guest(session, from, is_busy, &refuse);
    } else {
        receive_of_host(session, &refuse);
    }
    return true;
}

uint32_t bksi_refusal_reason(const bks_session *session)
{
    return session->start.difference.peers != 0 ? BKSI_REFUSED_UNEQUAL : BKSI_REFUSED_START;
}

void bksi_refusal_of_match(bks_session *session, const char *problem)
{
    (void)snprintf(session->refusal.problem, sizeof(session->refusal.problem), "%s", problem);
    for (char *at = session->refusal.problem; *at != '\0'; at++) {
        *at = *at >= 0x20 && *at <= 0x7e ? *at : '?';
    }
    fail(session, "the match cannot be made", session->refusal.problem);
    bksi_refusal_begin(session);
}

void bksi_refusal_begin(bks_session *session)
{
    session->refusal.is_repeated = true;
    session->refusal.refused_ns = session->common.now_ns;
}

bool bksi_refusal_repeat(bks_session *session)
{
    if (!session->refusal.is_repeated) {
        return false;
    }
    if (session->common.now_ns - session->refusal.refused_ns >=
        session->common.config.tuning.drop_after_ms * NS_PER_MS) {
        session->refusal.is_repeated = false;
        return false;
    }
    if (!session->common.config.is_host) { // a host answers those who ask
        owe(session, session->common.seats.peers[0].channel, session->common.config.nonce,
            BKSI_REFUSED_START, 0);
    }
    return true;
}

size_t bksi_refusal_send(bks_session *session, bksi_channel *to, uint8_t *body)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    session->refusal.is_owed = false;
    *to = session->refusal.to;
    bksi_refuse_write(&writer, &session->refusal.message);
    return writer.at;
}
