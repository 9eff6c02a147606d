// SPDX-License-Identifier: MIT

// Before the match: guests ask for seats (JOIN) until the host's ROSTER has them; once all seats
// are taken everyone makes the state of tick 0 and reaches everyone else (LINK); once all are ready
// the host says when the first tick is. Every message tells where its sender stands and is
// repeated, so nothing here waits for a particular packet.

#include "session/lobby.h"

#include <string.h>

#include "session/lobby_messages.h"
#include "session/session_internal.h"

/// By how much a hold may be measured wrong.
#define HOLD_ERROR_US_MAX 1000

/// A guest that hears nothing of a peer for this long before the start greets it anew.
#define LOBBY_RENEW_NS (3 * NS_PER_SECOND)

/// Not more often than this does the host take a seat back from guests that ask for it: who has the
/// match key could else come and go so often that nothing but that is told.
#define GIVE_BACK_GAP_NS (100 * NS_PER_MS)

static void owe_all(bks_session *session, bool links, bool rosters)
{
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if (i == session->common.seats.self) {
            continue;
        }
        session->lobby.peers[i].owes_link |= links;
        session->lobby.peers[i].owes_roster |= rosters;
    }
}

static void begin_linking(bks_session *session)
{
    session->lobby.stage = LOBBY_LINKING;
    session->lobby.linking_ns = session->common.now_ns;
    bksi_start_compare_anew(&session->start, false);
    owe_all(session, true, session->common.config.is_host);
    session->lobby.owes_join = !session->common.config.is_host;
}

void bksi_lobby_init(bks_session *session, const bks_session_config *config)
{
    bksi_seats_init(&session->common.seats, &session->common.guard, config);
    if (!config->is_host) {
        session->lobby.owes_join = true;
        return;
    }
    if (config->setup_bytes > 0) {
        memcpy(session->lobby.setup, config->setup, config->setup_bytes);
    }
    session->lobby.setup_bytes = config->setup_bytes;
    if (config->local_players == config->players) {
        begin_linking(session);
    }
}

void bksi_lobby_made_state(bks_session *session)
{
    session->lobby.state_is_made = true;
    bksi_lobby_ask_again(session);
}

void bksi_lobby_ask_again(bks_session *session)
{
    session->lobby.owes_join = !session->common.config.is_host;
}

// ---- host ----

static bool gave_back_lately(const bks_session *session)
{
    uint64_t then_ns = session->lobby.gave_back_ns;
    return then_ns > 0 && session->common.now_ns - then_ns < GIVE_BACK_GAP_NS;
}

/// A peer takes the place of another, `from` BKS_PEERS_MAX: of a new one.
static void move_peer(bks_session *session, uint32_t to, uint32_t from)
{
    session_lobby_peer *peers = session->lobby.peers;
    peers[to] = from == BKS_PEERS_MAX ? (session_lobby_peer){0} : peers[from];
    bksi_start_move(&session->start, to, from);
    bksi_links_move(&session->common.links, to, from);
    bksi_liveness_move(&session->inputs.liveness, to, from);
    bksi_goodbyes_move(&session->common.goodbyes, to, from);
}

/// A guest is not to be there: its seats are free again.
static void remove_guest(bks_session *session, uint32_t index)
{
    session->lobby.gave_back_ns = session->common.now_ns;
    session->lobby.stage = LOBBY_GATHERING;
    bksi_seats_remove(&session->common.seats, index);
    for (uint32_t k = index; k < session->common.seats.peer_count; k++) {
        move_peer(session, k, k + 1);
    }
}

static void seat_guest(bks_session *session, bksi_channel from, const bksi_join *join)
{
    session_seats *seats = &session->common.seats;
    int32_t seat = -1;
    uint32_t seats_free = seats->players - bksi_seats_taken(seats);
    uint32_t reason =
        bksi_refusal_find(session, join, seats_free, session->lobby.stage == LOBBY_GO, &seat);
    if (reason != 0) {
        bksi_refusal_of_guest(session, from, join, reason, seats_free);
        return;
    }
    uint32_t place = bksi_seats_insert(seats, &session->common.guard, (uint32_t)seat, from, join);
    for (uint32_t k = seats->peer_count - 1; k > place; k--) {
        move_peer(session, k, k - 1);
    }
    move_peer(session, place, BKS_PEERS_MAX);
    bksi_guard_hold(&session->common.guard, from);
    bksi_liveness_greeted(&session->inputs.liveness, &session->common, place);
    session->lobby.peers[place].owes_roster = true;
    (void)bksi_events_raise(&session->common.events, BKS_EVENT_JOINED, place, BKS_TICK_NONE);
    if (bksi_seats_taken(seats) == seats->players) {
        begin_linking(session);
    }
}

static void receive_join(bks_session *session, const bksi_guard_message *message,
                         const bksi_join *join)
{
    bksi_channel from = message->channel;
    uint32_t index = bksi_seats_peer(&session->common.seats, from);
    if (session->common.phase == BKS_PHASE_FAILED && session->lobby.stage != LOBBY_GO) {
        bksi_refusal_of_guest(session, from, join, bksi_refusal_reason(session), 0);
        return;
    }
    if (index != BKS_PEERS_MAX && !message->is_proven) {
        session->lobby.peers[index].owes_roster = true; // what it says may be shown to anybody
        return;
    }
    if (index != BKS_PEERS_MAX && session->common.seats.peers[index].nonce == join->nonce) {
        bksi_start_heard(&session->start, index, join);
        bksi_liveness_greeted(&session->inputs.liveness, &session->common, index);
        session->lobby.peers[index].owes_roster = true;
        return;
    }
    if (bksi_guard_identity(&session->common.guard, from) == NULL) {
        return; // nobody is at the other end any more
    }
    // A known identity with another nonce is a guest that was started again.
    if (index != BKS_PEERS_MAX && session->lobby.stage == LOBBY_GATHERING) {
        if (gave_back_lately(session)) {
            return; // it asks again
        }
        remove_guest(session, index);
    }
    seat_guest(session, from, join);
}

/// A guest that fell silent before the start gives its seats back.
static void drop_silent_guests(bks_session *session)
{
    uint64_t patience_ns = session->common.config.tuning.drop_after_ms * NS_PER_MS;
    for (uint32_t i = session->common.seats.peer_count - 1; i >= 1; i--) {
        if (bksi_liveness_unheard_ns(&session->inputs.liveness, &session->common, i) >=
            patience_ns) {
            bksi_guard_release(&session->common.guard, session->common.seats.peers[i].channel);
            remove_guest(session, i);
        }
    }
}

/// Everyone is ready: the first tick is when the farthest guest can have heard of it.
static void try_go(bks_session *session)
{
    double farthest_ns = 0.0;
    for (uint32_t i = 1; i < session->common.seats.peer_count; i++) {
        if (!session->start.peers[i].is_ready ||
            !session->common.links.peers[i].link.has_round_trip) {
            return;
        }
        double way_ns = bksi_links_round_trip_ns(&session->common.links, i) / 2.0;
        farthest_ns = way_ns > farthest_ns ? way_ns : farthest_ns;
    }
    bool was_unequal = session->start.is_unequal;
    start_verdict verdict = session->start.is_hashed ? bksi_start_compare(session) : START_UNKNOWN;
    if (session->start.is_unequal && !was_unequal) {
        owe_all(session, false, true);
    }
    if (verdict == START_FAILED) {
        bksi_refusal_begin(session);
    }
    if (verdict != START_EQUAL) {
        return;
    }
    session->lobby.stage = LOBBY_GO;
    session->lobby.start_ns = session->common.now_ns + (uint64_t)farthest_ns + WARM_UP_NS;
    owe_all(session, false, true);
}

// ---- guest ----

static void take_seats(bks_session *session, const bksi_roster_message *roster)
{
    session->lobby.setup_bytes = roster->setup_bytes;
    memcpy(session->lobby.setup, roster->setup, roster->setup_bytes);
    for (uint32_t i = 1; i < roster->peer_count; i++) {
        if (memcmp(session->common.seats.peers[i].identity, roster->peers[i].identity,
                   BKSI_IDENTITY_BYTES) != 0) {
            move_peer(session, i, BKS_PEERS_MAX);
            bksi_liveness_greeted(&session->inputs.liveness, &session->common, i);
        }
    }
    bksi_seats_take(&session->common.seats, &session->common.guard, roster);
}

/// The host's first tick on our clock, as well as we know its clock by now.
static void set_start(bks_session *session)
{
    const session_common *common = &session->common;
    int64_t left_ns = 0;
    if (!bksi_host_clock_left(&session->host_clock, bksi_common_now_us(common), &left_ns)) {
        return;
    }
    session->lobby.start_ns =
        left_ns < 0 && (uint64_t)-left_ns > common->now_ns ? 0 : common->now_ns + (uint64_t)left_ns;
}

static bool receive_roster(bks_session *session, const bksi_roster_message *roster)
{
    if (!bksi_lobby_roster_fits(session, roster)) {
        return false;
    }
    if (session->lobby.stage == LOBBY_GO) {
        return true;
    }
    if (session->common.seats.players == 0) {
        bksi_events_raise_seated(&session->common.events, roster->self);
    }
    take_seats(session, roster);
    bksi_liveness_greeted(&session->inputs.liveness, &session->common, 0);
    if (roster->stage == BKSI_ROSTER_GATHERING) {
        session->lobby.stage = LOBBY_GATHERING;
    } else if (session->lobby.stage == LOBBY_GATHERING) {
        begin_linking(session);
    }
    bksi_start_compare_anew(&session->start, roster->stage == BKSI_ROSTER_UNEQUAL);
    if (roster->stage == BKSI_ROSTER_GO && session->lobby.state_is_made) {
        session->lobby.stage = LOBBY_GO;
        session->lobby.start_ns = session->common.now_ns + roster->go_delay_us * 1000ull;
        bksi_host_clock_start(&session->host_clock, roster->start_us);
        set_start(session);
    }
    return true;
}

void bksi_lobby_go_now(bks_session *session)
{
    if (session->common.config.is_host || session->lobby.stage != LOBBY_LINKING ||
        !session->lobby.state_is_made) {
        return;
    }
    session->lobby.stage = LOBBY_GO;
    session->lobby.start_ns = session->common.now_ns;
}

// ---- both ----

static void receive_link(bks_session *session, uint32_t index, const bksi_link_message *message)
{
    session_lobby_peer *peer = &session->lobby.peers[index];
    session_common *common = &session->common;
    bool was_ready = bksi_lobby_guest_is_ready(session);
    peer->owes_link |= !peer->heard || !peer->heard_us;
    peer->heard = true;
    peer->heard_us |= message->has_echo;
    bool is_ready = !was_ready && bksi_lobby_guest_is_ready(session);
    session->lobby.owes_join |= is_ready && !common->config.is_host;
    peer->link_stamp_us = message->stamp_us;
    peer->link_stamp_ns = common->now_ns;
    bksi_liveness_greeted(&session->inputs.liveness, &session->common, index);
    if (!message->has_echo) {
        return;
    }
    int32_t trip_us = (int32_t)(bksi_common_now_us(common) - message->echo_us - message->hold_us);
    // The peer measured the hold by a clock of its own: where the way takes next to nothing and
    // that clock is fast, less than nothing is left.
    if (trip_us < 0 && trip_us > -HOLD_ERROR_US_MAX) {
        trip_us = 0;
    }
    if (trip_us < 0 || trip_us >= TRIP_US_MAX) {
        return;
    }
    bksi_links_measured(&common->links, index, trip_us * 1000.0);
    if (index == 0 && bksi_host_clock_read(&session->host_clock, bksi_common_now_us(common),
                                           message->stamp_us, trip_us)) {
        set_start(session);
    }
}

static bool receive_refusal(bks_session *session, bksi_channel from, bksi_byte_reader *reader)
{
    uint32_t gone = BKS_PEERS_MAX;
    bool is_sound = bksi_refusal_receive(session, from, gave_back_lately(session), reader, &gone);
    if (gone != BKS_PEERS_MAX) {
        bksi_guard_unhold(&session->common.guard, from);
        remove_guest(session, gone);
    }
    return is_sound;
}

bool bksi_lobby_receive(bks_session *session, const bksi_guard_message *message,
                        bksi_byte_reader *reader)
{
    uint32_t type = message->type;
    bool is_host = session->common.config.is_host;
    uint32_t sender = bksi_seats_peer(&session->common.seats, message->channel);
    if (type == BKSI_PACKET_JOIN && is_host) {
        bksi_join join;
        if (!bksi_join_read(reader, &join)) {
            return false;
        }
        receive_join(session, message, &join);
        return true;
    }
    if (type == BKSI_PACKET_REFUSE) {
        return (is_host || sender == 0) && receive_refusal(session, message->channel, reader);
    }
    if (sender == BKS_PEERS_MAX) {
        return false;
    }
    if (type == BKSI_PACKET_LINK) {
        bksi_link_message link;
        if (!bksi_link_message_read(reader, &link)) {
            return false;
        }
        link.has_echo &= message->is_proven; // a round trip is measured with whom we know
        if (session->common.phase == BKS_PHASE_GATHERING) {
            receive_link(session, sender, &link);
        }
        return true;
    }
    if (is_host || sender != 0 || session->common.phase != BKS_PHASE_GATHERING) {
        return !is_host && type == BKSI_PACKET_ROSTER;
    }
    bksi_roster_message roster;
    return type == BKSI_PACKET_ROSTER && bksi_roster_read(reader, &roster) &&
           receive_roster(session, &roster);
}

/// A peer that lost our keys, as one does that was dropped and comes again, hears nothing we say.
static void greet_silent_peers(bks_session *session)
{
    session_common *common = &session->common;
    for (uint32_t i = 0; i < common->seats.peer_count; i++) {
        session_lobby_peer *peer = &session->lobby.peers[i];
        if (i == common->seats.self ||
            bksi_liveness_unheard_ns(&session->inputs.liveness, &session->common, i) <
                LOBBY_RENEW_NS ||
            common->now_ns - peer->renewed_ns < LOBBY_RENEW_NS) {
            continue;
        }
        peer->renewed_ns = common->now_ns;
        bksi_guard_renew(&common->guard, common->seats.peers[i].channel);
    }
}

/// What is still unanswered is sent again.
static void repeat(bks_session *session)
{
    session->lobby.next_ns = session->common.now_ns + LOBBY_REPEAT_NS;
    session->lobby.owes_join = !session->common.config.is_host;
    owe_all(session, session->lobby.stage != LOBBY_GATHERING,
            session->common.config.is_host && session->lobby.stage == LOBBY_GO);
    // Who was answered before the last seat was taken may not know yet.
    for (uint32_t i = 1; session->common.config.is_host && i < session->common.seats.peer_count;
         i++) {
        session->lobby.peers[i].owes_roster |=
            session->lobby.stage == LOBBY_LINKING && !session->start.peers[i].is_ready;
    }
}

bool bksi_lobby_update(bks_session *session)
{
    if (session->common.now_ns >= session->lobby.next_ns && bksi_refusal_repeat(session)) {
        session->lobby.next_ns = session->common.now_ns + LOBBY_REPEAT_NS;
    }
    if (session->common.phase != BKS_PHASE_GATHERING) {
        return false;
    }
    if (!session->common.config.is_host) {
        greet_silent_peers(session);
    } else if (session->lobby.stage != LOBBY_GO) {
        drop_silent_guests(session);
    }
    if (session->common.config.is_host && session->lobby.stage == LOBBY_LINKING) {
        try_go(session);
    }
    if (session->common.phase != BKS_PHASE_GATHERING) {
        return false;
    }
    if (session->lobby.stage == LOBBY_GO && session->common.now_ns >= session->lobby.start_ns) {
        return true;
    }
    if (session->common.now_ns >= session->lobby.next_ns) {
        repeat(session);
    }
    return false;
}

uint64_t bksi_lobby_wake(const bks_session *session)
{
    if (session->lobby.stage == LOBBY_GO && session->lobby.start_ns < session->lobby.next_ns) {
        return session->lobby.start_ns;
    }
    return session->lobby.next_ns;
}

size_t bksi_lobby_send(bks_session *session, bksi_channel *to, uint8_t *body, uint32_t *type)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    if (bksi_refusal_is_owed(&session->refusal)) {
        *type = BKSI_PACKET_REFUSE;
        return bksi_refusal_send(session, to, body);
    }
    if (session->lobby.owes_join && session->common.phase == BKS_PHASE_GATHERING) {
        session->lobby.owes_join = false;
        *to = session->common.seats.peers[0].channel;
        *type = BKSI_PACKET_JOIN;
        bksi_lobby_write_join(session, &writer);
        return writer.at;
    }
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        session_lobby_peer *peer = &session->lobby.peers[i];
        if (i == session->common.seats.self || (!peer->owes_roster && !peer->owes_link)) {
            continue;
        }
        *to = session->common.seats.peers[i].channel;
        if (peer->owes_roster) {
            peer->owes_roster = false;
            *type = BKSI_PACKET_ROSTER;
            bksi_lobby_write_roster(session, i, &writer);
            return writer.at;
        }
        peer->owes_link = false;
        if (session->common.phase != BKS_PHASE_GATHERING) {
            continue;
        }
        *type = BKSI_PACKET_LINK;
        bksi_lobby_write_link(session, i, &writer);
        return writer.at;
    }
    return 0;
}
