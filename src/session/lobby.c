// SPDX-License-Identifier: MIT

// Before the match: guests ask for seats (JOIN) until the host's ROSTER has them; once all seats
// are taken everyone makes the state of tick 0 and reaches everyone else (LINK); once all are ready
// the host says when the first tick is. Every message tells where its sender stands and is
// repeated, so nothing here waits for a particular packet.

#include "session/session_internal.h"

#include <string.h>

/// Longest round trip that is believed, and by how much a hold may be measured wrong.
#define TRIP_US_MAX       10000000
#define HOLD_ERROR_US_MAX 1000

/// Not more often than this does the host take a seat back from guests that ask for it: who has the
/// match key could else come and go so often that nothing but that is told.
#define GIVE_BACK_GAP_NS (100 * NS_PER_MS)

static uint32_t now_us(const bks_session *session)
{
    return (uint32_t)(session->now_ns / 1000);
}

static void owe_all(bks_session *session, bool links, bool rosters)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if (i == session->self) {
            continue;
        }
        session->peers[i].owes_link |= links;
        session->peers[i].owes_roster |= rosters;
    }
}

static void begin_linking(bks_session *session)
{
    session->stage = LOBBY_LINKING;
    session->linking_ns = session->now_ns;
    session->is_unequal = false;
    owe_all(session, true, session->config.is_host);
    session->owes_join = !session->config.is_host;
}

void bksi_lobby_init(bks_session *session)
{
    const bks_session_config *config = &session->config;
    session->peer_count = 1;
    if (!config->is_host) {
        session->self = 1;
        session->peers[0].channel = bksi_guard_bind(&session->guard, &config->host, NULL, true);
        session->owes_join = true;
        return;
    }
    session->self = 0;
    session->peers[0].player_count = config->local_players;
    memcpy(session->peers[0].identity, session->guard.identity, BKSI_IDENTITY_BYTES);
    session->players = config->players;
    session->seed = config->seed;
    session->ticks = config->ticks;
    uint32_t every = config->tuning.window_ticks > 0 ? 1 : config->tick_rate_hz;
    session->hash_every =
        config->tuning.hash_every_ticks != BKS_AUTO ? config->tuning.hash_every_ticks : every;
    if (config->local_players == config->players) {
        begin_linking(session);
    }
}

// ---- host ----

/// First seat of a free run of `count`, or -1. `wanted` -1 takes the lowest.
static int32_t free_seat(const bks_session *session, uint32_t count, int32_t wanted)
{
    for (uint32_t first = 0; first + count <= session->players; first++) {
        if (wanted >= 0 && first != (uint32_t)wanted) {
            continue;
        }
        bool is_free = true;
        for (uint32_t i = 0; i < session->peer_count; i++) {
            const session_peer *peer = &session->peers[i];
            if (first < peer->first_player + peer->player_count &&
                peer->first_player < first + count) {
                is_free = false;
            }
        }
        if (is_free) {
            return (int32_t)first;
        }
    }
    return -1;
}

/// Peers stand in the order of their seats.
static session_peer *insert_peer(bks_session *session, uint32_t first_player)
{
    uint32_t place = session->peer_count;
    while (place > 1 && session->peers[place - 1].first_player > first_player) {
        session->peers[place] = session->peers[place - 1];
        place--;
    }
    session->peer_count++;
    memset(&session->peers[place], 0, sizeof(session->peers[place]));
    return &session->peers[place];
}

static uint32_t taken_seats(const bks_session *session)
{
    uint32_t seats = 0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        seats += session->peers[i].player_count;
    }
    return seats;
}

bool bksi_lobby_gave_back_lately(const bks_session *session)
{
    return session->gave_back_ns > 0 && session->now_ns - session->gave_back_ns < GIVE_BACK_GAP_NS;
}

void bksi_lobby_remove(bks_session *session, uint32_t index)
{
    session->gave_back_ns = session->now_ns;
    for (uint32_t k = index; k + 1 < session->peer_count; k++) {
        session->peers[k] = session->peers[k + 1];
    }
    session->peer_count--;
    session->stage = LOBBY_GATHERING;
}

/// Why a guest gets no seat, a bksi_fact or bksi_refusal; 0 with its first seat.
static uint32_t reason_to_refuse(const bks_session *session, const bksi_join *join,
                                 uint32_t seats_free, int32_t *seat)
{
    bksi_fact fact = bksi_facts_compare(&session->facts, &join->facts);
    if (fact != BKSI_FACT_NONE) {
        return fact;
    }
    if (session->stage == LOBBY_GO) {
        return BKSI_REFUSED_RUNNING;
    }
    if (session->peer_count == BKS_PEERS_MAX && seats_free > 0) {
        return BKSI_REFUSED_PEERS;
    }
    *seat = free_seat(session, join->local_players, join->first_player);
    return *seat < 0 ? BKSI_REFUSED_SEATS : 0;
}

static void seat_guest(bks_session *session, bksi_channel from, const bksi_join *join)
{
    int32_t seat = -1;
    uint32_t seats_free = session->players - taken_seats(session);
    uint32_t reason = reason_to_refuse(session, join, seats_free, &seat);
    if (reason != 0) {
        bksi_refusal_of_guest(session, from, join, reason, seats_free);
        return;
    }
    session_peer *peer = insert_peer(session, (uint32_t)seat);
    peer->first_player = (uint32_t)seat;
    peer->player_count = join->local_players;
    peer->nonce = join->nonce;
    peer->channel = from;
    memcpy(peer->identity, bksi_guard_identity(&session->guard, from), BKSI_IDENTITY_BYTES);
    bksi_guard_hold(&session->guard, from);
    peer->build = join->build;
    peer->heard_ns = session->now_ns;
    peer->owes_roster = true;
    (void)bksi_session_tell(session, BKS_EVENT_JOINED, (uint32_t)(peer - session->peers),
                            BKS_TICK_NONE);
    if (taken_seats(session) == session->players) {
        begin_linking(session);
    }
}

static void receive_join(bks_session *session, const bksi_guard_message *message,
                         const bksi_join *join)
{
    bksi_channel from = message->channel;
    uint32_t index = bksi_lobby_peer(session, from);
    if (session->phase == BKS_PHASE_FAILED && session->stage != LOBBY_GO) {
        bksi_refusal_of_guest(session, from, join, bksi_refusal_reason(session), 0);
        return;
    }
    if (index != BKS_PEERS_MAX && !message->is_proven) {
        session->peers[index].owes_roster = true; // whoever it is, it says what is to be shown
        return;
    }
    if (index != BKS_PEERS_MAX && session->peers[index].nonce == join->nonce) {
        session_peer *peer = &session->peers[index];
        bksi_start_heard(peer, join);
        peer->heard_ns = session->now_ns;
        peer->owes_roster = true;
        return;
    }
    if (bksi_guard_identity(&session->guard, from) == NULL) {
        return; // nobody is at the other end any more
    }
    // A known identity with another nonce is a guest that was started again.
    if (index != BKS_PEERS_MAX && session->stage == LOBBY_GATHERING) {
        if (bksi_lobby_gave_back_lately(session)) {
            return; // it asks again
        }
        bksi_lobby_remove(session, index);
    }
    seat_guest(session, from, join);
}

/// A guest that fell silent before the start gives its seats back.
static void drop_silent_guests(bks_session *session)
{
    uint64_t patience_ns = session->config.tuning.drop_after_ms * NS_PER_MS;
    for (uint32_t i = session->peer_count - 1; i >= 1; i--) {
        if (session->now_ns - session->peers[i].heard_ns < patience_ns) {
            continue;
        }
        bksi_guard_release(&session->guard, session->peers[i].channel);
        bksi_lobby_remove(session, i);
    }
}

/// Everyone is ready: the first tick is when the farthest guest can have heard of it.
static void try_go(bks_session *session)
{
    double farthest_ns = 0.0;
    for (uint32_t i = 1; i < session->peer_count; i++) {
        const session_peer *peer = &session->peers[i];
        if (!peer->is_ready || !peer->link.has_round_trip) {
            return;
        }
        double way_ns = peer->link.round_trip_ns / 2.0;
        farthest_ns = way_ns > farthest_ns ? way_ns : farthest_ns;
    }
    if (!session->start_is_hashed || !bksi_start_compare(session)) {
        return;
    }
    session->stage = LOBBY_GO;
    session->start_ns = session->now_ns + (uint64_t)farthest_ns + WARM_UP_NS;
    owe_all(session, false, true);
}

static void write_roster(bks_session *session, uint32_t index, bksi_byte_writer *writer)
{
    bksi_roster_message roster = {
        .stage = session->stage == LOBBY_GATHERING ? BKSI_ROSTER_GATHERING
                 : session->stage == LOBBY_GO      ? BKSI_ROSTER_GO
                 : session->is_unequal             ? BKSI_ROSTER_UNEQUAL
                                                   : BKSI_ROSTER_COMPLETE,
        .self = index,
        .peer_count = session->peer_count,
        .players = session->players,
        .seed = session->seed,
        .build = session->config.build,
        .ticks = session->ticks,
        .hash_every_ticks = session->hash_every,
        .setup_bytes = session->setup_bytes,
    };
    memcpy(roster.setup, session->setup, session->setup_bytes);
    for (uint32_t i = 0; i < session->peer_count; i++) {
        const session_peer *peer = &session->peers[i];
        roster.peers[i] = (bksi_roster_peer){.first_player = peer->first_player,
                                             .player_count = peer->player_count};
        memcpy(roster.peers[i].identity, peer->identity, BKSI_IDENTITY_BYTES);
        if (i != session->self) {
            roster.peers[i].address = bksi_guard_address(&session->guard, peer->channel);
        }
    }
    uint64_t arrives_ns =
        session->now_ns + (uint64_t)(session->peers[index].link.round_trip_ns / 2.0);
    if (roster.stage == BKSI_ROSTER_GO) {
        roster.start_us = (uint32_t)(session->start_ns / 1000);
    }
    if (roster.stage == BKSI_ROSTER_GO && session->start_ns > arrives_ns) {
        roster.go_delay_us = (uint32_t)((session->start_ns - arrives_ns) / 1000);
    }
    bksi_roster_write(writer, &roster);
}

// ---- guest ----

/// Give up the channels to those who are in the roster no more.
static void release_gone(bks_session *session, const bksi_roster_message *roster)
{
    for (uint32_t i = 1; i < session->peer_count; i++) {
        bool is_gone = i != session->self;
        for (uint32_t k = 1; k < roster->peer_count && is_gone; k++) {
            is_gone = memcmp(roster->peers[k].identity, session->peers[i].identity,
                             BKSI_IDENTITY_BYTES) != 0;
        }
        if (is_gone) {
            bksi_guard_release(&session->guard, session->peers[i].channel);
        }
    }
}

/// The lower of two guests calls the other.
static void take_seat(bks_session *session, const bksi_roster_peer *told, uint32_t index)
{
    session_peer *peer = &session->peers[index];
    if (index > 0 && memcmp(peer->identity, told->identity, BKSI_IDENTITY_BYTES) != 0) {
        memset(peer, 0, sizeof(*peer));
        peer->heard_ns = session->now_ns;
    }
    memcpy(peer->identity, told->identity, BKSI_IDENTITY_BYTES);
    if (index > 0 && index != session->self) {
        peer->channel =
            bksi_guard_bind(&session->guard, &told->address, told->identity, session->self < index);
    }
    peer->first_player = told->first_player;
    peer->player_count = told->player_count;
}

static void take_seats(bks_session *session, const bksi_roster_message *roster)
{
    release_gone(session, roster);
    session->self = roster->self;
    session->peers[0].build = roster->build;
    session->peer_count = roster->peer_count;
    session->players = roster->players;
    session->seed = roster->seed;
    session->ticks = roster->ticks;
    session->hash_every = roster->hash_every_ticks;
    session->setup_bytes = roster->setup_bytes;
    memcpy(session->setup, roster->setup, roster->setup_bytes);
    for (uint32_t i = 0; i < roster->peer_count; i++) {
        take_seat(session, &roster->peers[i], i);
    }
}

static bool roster_is_ours(const bks_session *session, const bksi_roster_message *roster)
{
    const bksi_roster_peer *own = &roster->peers[roster->self];
    return roster->self > 0 &&
           memcmp(own->identity, session->guard.identity, BKSI_IDENTITY_BYTES) == 0 &&
           own->player_count == session->config.local_players;
}

/// What the state was made from cannot change under it; only peers may.
static bool roster_fits_state(const bks_session *session, const bksi_roster_message *roster)
{
    return !session->state_is_made ||
           (roster->players == session->players && roster->seed == session->seed &&
            roster->ticks == session->ticks && roster->hash_every_ticks == session->hash_every &&
            roster->setup_bytes == session->setup_bytes &&
            memcmp(roster->setup, session->setup, session->setup_bytes) == 0);
}

/// The host's first tick on our clock, as well as we know its clock by now.
static void set_start(bks_session *session)
{
    if (!session->has_clock || !session->has_start) {
        return;
    }
    int32_t left_us = (int32_t)(session->start_us - session->clock_ahead_us - now_us(session));
    if (left_us > TRIP_US_MAX || left_us < -TRIP_US_MAX) {
        return;
    }
    int64_t left_ns = left_us * INT64_C(1000);
    session->start_ns = left_ns < 0 && (uint64_t)-left_ns > session->now_ns
                            ? 0
                            : session->now_ns + (uint64_t)left_ns;
}

/// What the host's LINKs say of its clock is worth most where the way was shortest: there it waited
/// least.
static void read_clock(bks_session *session, uint32_t stamp_us, int32_t trip_us)
{
    if (session->has_clock && trip_us >= session->clock_trip_us) {
        return;
    }
    session->has_clock = true;
    session->clock_trip_us = trip_us;
    session->clock_ahead_us = stamp_us + (uint32_t)trip_us / 2 - now_us(session);
    set_start(session);
}

static bool receive_roster(bks_session *session, const bksi_roster_message *roster)
{
    if (!roster_is_ours(session, roster) || !roster_fits_state(session, roster)) {
        return false;
    }
    if (session->stage == LOBBY_GO) {
        return true;
    }
    if (session->players == 0) {
        (void)bksi_session_tell(session, BKS_EVENT_JOINED, roster->self, BKS_TICK_NONE);
    }
    take_seats(session, roster);
    session->peers[0].heard_ns = session->now_ns;
    if (roster->stage == BKSI_ROSTER_GATHERING) {
        session->stage = LOBBY_GATHERING;
    } else if (session->stage == LOBBY_GATHERING) {
        begin_linking(session);
    }
    session->is_unequal = roster->stage == BKSI_ROSTER_UNEQUAL;
    if (roster->stage == BKSI_ROSTER_GO && session->state_is_made) {
        session->stage = LOBBY_GO;
        session->start_ns = session->now_ns + roster->go_delay_us * 1000ull;
        session->has_start = true;
        session->start_us = roster->start_us;
        set_start(session);
    }
    return true;
}

static bool guest_is_ready(const bks_session *session)
{
    if (!session->start_is_hashed || session->stage != LOBBY_LINKING) {
        return false;
    }
    if (session->now_ns - session->linking_ns >= LINK_PATIENCE_NS) {
        return true;
    }
    for (uint32_t i = 1; i < session->peer_count; i++) {
        const session_peer *peer = &session->peers[i];
        // Whoever called knows first that the way is there and back, and is not ready before.
        bool is_called = session->self > i;
        if (i != session->self && !(peer->heard && (peer->heard_us || is_called))) {
            return false;
        }
    }
    return true;
}

static void write_join(const bks_session *session, bksi_byte_writer *writer)
{
    bksi_join join = {.facts = session->facts,
                      .nonce = session->config.nonce,
                      .local_players = session->config.local_players,
                      .first_player = bksi_session_wanted_seat(&session->config),
                      .build = session->config.build,
                      .start_hash = session->start_hash};
    if (guest_is_ready(session)) {
        join.ready = session->is_unequal && session->has_parts ? BKSI_EXPLAINS : BKSI_READY;
    }
    if (join.ready == BKSI_EXPLAINS) {
        join.parts = session->parts;
    }
    bksi_join_write(writer, &join);
}

void bksi_lobby_go_now(bks_session *session)
{
    if (session->config.is_host || session->stage != LOBBY_LINKING || !session->state_is_made) {
        return;
    }
    session->stage = LOBBY_GO;
    session->start_ns = session->now_ns;
}

// ---- both ----

static void write_link(const bks_session *session, uint32_t index, bksi_byte_writer *writer)
{
    const session_peer *peer = &session->peers[index];
    bksi_link_message message = {
        .stamp_us = now_us(session),
        .has_echo = peer->heard,
        .echo_us = peer->link_stamp_us,
        .hold_us = peer->heard ? (uint32_t)((session->now_ns - peer->link_stamp_ns) / 1000) : 0,
    };
    bksi_link_message_write(writer, &message);
}

static void receive_link(bks_session *session, uint32_t index, const bksi_link_message *message)
{
    session_peer *peer = &session->peers[index];
    bool was_ready = guest_is_ready(session);
    peer->owes_link |= !peer->heard || !peer->heard_us;
    peer->heard = true;
    peer->heard_us |= message->has_echo;
    session->owes_join |= !session->config.is_host && !was_ready && guest_is_ready(session);
    peer->link_stamp_us = message->stamp_us;
    peer->link_stamp_ns = session->now_ns;
    peer->heard_ns = session->now_ns;
    if (!message->has_echo) {
        return;
    }
    int32_t trip_us = (int32_t)(now_us(session) - message->echo_us - message->hold_us);
    // The peer measured the hold by a clock of its own: where the way takes next to nothing and
    // that clock is fast, less than nothing is left.
    if (trip_us < 0 && trip_us > -HOLD_ERROR_US_MAX) {
        trip_us = 0;
    }
    if (trip_us < 0 || trip_us >= TRIP_US_MAX) {
        return;
    }
    bksi_link_measured(&peer->link, trip_us * 1000.0);
    if (index == 0) {
        read_clock(session, message->stamp_us, trip_us);
    }
}

uint32_t bksi_lobby_peer(const bks_session *session, bksi_channel channel)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if (i != session->self && session->peers[i].channel == channel) {
            return i;
        }
    }
    return BKS_PEERS_MAX;
}

bool bksi_lobby_receive(bks_session *session, const bksi_guard_message *message,
                        bksi_byte_reader *reader)
{
    uint32_t type = message->type;
    bool is_host = session->config.is_host;
    uint32_t sender = bksi_lobby_peer(session, message->channel);
    if (type == BKSI_PACKET_JOIN && is_host) {
        bksi_join join;
        if (!bksi_join_read(reader, &join)) {
            return false;
        }
        receive_join(session, message, &join);
        return true;
    }
    if (type == BKSI_PACKET_REFUSE) {
        return (is_host || sender == 0) && bksi_refusal_receive(session, message->channel, reader);
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
        if (session->phase == BKS_PHASE_GATHERING) {
            receive_link(session, sender, &link);
        }
        return true;
    }
    if (is_host || sender != 0 || session->phase != BKS_PHASE_GATHERING) {
        return !is_host && type == BKSI_PACKET_ROSTER;
    }
    bksi_roster_message roster;
    return type == BKSI_PACKET_ROSTER && bksi_roster_read(reader, &roster) &&
           receive_roster(session, &roster);
}

static void start_running(bks_session *session)
{
    session->phase = BKS_PHASE_RUNNING;
    session->stats.connect_ns = session->now_ns - session->begun_ns;
    bksi_mesh_start(session);
    bksi_pace_start(session);
    bksi_clock_start(session);
    bksi_heads_start(session);
    bksi_start_tell_builds(session);
    (void)bksi_session_tell(session, BKS_EVENT_STARTED, session->self, 0);
}

/// A peer that lost our keys, as one does that was dropped and comes again, hears nothing we say.
static void greet_silent_peers(bks_session *session)
{
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session_peer *peer = &session->peers[i];
        if (i == session->self || session->now_ns - peer->heard_ns < LOBBY_RENEW_NS ||
            session->now_ns - peer->renewed_ns < LOBBY_RENEW_NS) {
            continue;
        }
        peer->renewed_ns = session->now_ns;
        bksi_guard_renew(&session->guard, peer->channel);
    }
}

void bksi_lobby_update(bks_session *session)
{
    bksi_refusal_update(session);
    if (session->phase != BKS_PHASE_GATHERING) {
        return;
    }
    if (!session->config.is_host) {
        greet_silent_peers(session);
    }
    if (session->config.is_host && session->stage != LOBBY_GO) {
        drop_silent_guests(session);
    }
    if (session->config.is_host && session->stage == LOBBY_LINKING) {
        try_go(session);
    }
    if (session->phase != BKS_PHASE_GATHERING) {
        return;
    }
    if (session->stage == LOBBY_GO && session->now_ns >= session->start_ns) {
        start_running(session);
        return;
    }
    if (session->now_ns < session->lobby_next_ns) {
        return;
    }
    session->lobby_next_ns = session->now_ns + LOBBY_REPEAT_NS;
    session->owes_join = !session->config.is_host;
    owe_all(session, session->stage != LOBBY_GATHERING,
            session->config.is_host && session->stage == LOBBY_GO);
    // Who was answered before the last seat was taken may not know yet.
    for (uint32_t i = 1; session->config.is_host && i < session->peer_count; i++) {
        session->peers[i].owes_roster |=
            session->stage == LOBBY_LINKING && !session->peers[i].is_ready;
    }
}

uint64_t bksi_lobby_wake(const bks_session *session)
{
    if (session->stage == LOBBY_GO && session->start_ns < session->lobby_next_ns) {
        return session->start_ns;
    }
    return session->lobby_next_ns;
}

size_t bksi_lobby_send(bks_session *session, bksi_channel *to, uint8_t *body, uint32_t *type)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    if (session->owes_refuse) {
        *type = BKSI_PACKET_REFUSE;
        return bksi_refusal_send(session, to, body);
    }
    if (session->owes_join && session->phase == BKS_PHASE_GATHERING) {
        session->owes_join = false;
        *to = session->peers[0].channel;
        *type = BKSI_PACKET_JOIN;
        write_join(session, &writer);
        return writer.at;
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session_peer *peer = &session->peers[i];
        if (i == session->self || (!peer->owes_roster && !peer->owes_link)) {
            continue;
        }
        *to = peer->channel;
        if (peer->owes_roster) {
            peer->owes_roster = false;
            *type = BKSI_PACKET_ROSTER;
            write_roster(session, i, &writer);
            return writer.at;
        }
        peer->owes_link = false;
        if (session->phase != BKS_PHASE_GATHERING) {
            continue;
        }
        *type = BKSI_PACKET_LINK;
        write_link(session, i, &writer);
        return writer.at;
    }
    return 0;
}
