// SPDX-License-Identifier: MIT

// Packets that come, by type, and what one of them means for the others.

#include "session/packets.h"

#include "session/session_internal.h"

static bool receive_bye(bks_session *session, uint32_t peer, bksi_byte_reader *reader)
{
    session_bye_news news;
    session_common *common = &session->common;
    bks_tick end = bksi_common_end(common);
    bool has_all = end > 0 && bksi_heads_of(common, peer) >= end;
    if (!bksi_goodbyes_receive(&common->goodbyes, peer, bksi_phase_seen(&common->phase), has_all,
                               reader, &news)) {
        return false;
    }
    if (news.has_ours) {
        bksi_exchange_acknowledge(&session->exchange, peer, bksi_heads_own(&session->common));
    }
    return true;
}

static bool receive_hashes(bks_session *session, uint32_t peer, bksi_byte_reader *reader)
{
    bksi_hashes_message message;
    if (!bksi_hashes_read(reader, &message)) {
        return false;
    }
    if (session->common.membership.peer_view[peer] == session->common.membership.view) {
        bksi_checking_heard_many(&session->checking, &session->common, peer, &message);
    }
    return true;
}

/// What two states differ in: a peer asks, or it answers.
static bool receive_compare(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    bksi_compare_answer answer;
    bool is_answer = false;
    if (!bksi_compare_read(&reader, &is_answer, &answer)) {
        return false;
    }
    if (is_answer) {
        bksi_descent_heard(&session->descent, &session->checking, &session->common, peer, &answer);
        bksi_fetch_heard(&session->fetch, &session->common, peer, &answer);
    } else {
        const bool is_let = bksi_meeting_lets_fetch(&session->meeting, peer, answer.to.tick);
        bksi_answers_ask(&session->answers, &session->common, peer, &answer.to, is_let);
    }
    return true;
}

/// All are to have one state. What one says in another view may not hold in ours.
static bool receive_meet(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    bksi_meet_message meet;
    if (!bksi_meet_read(&reader, &meet)) {
        return false;
    }
    return session->common.membership.peer_view[peer] != session->common.membership.view ||
           bksi_meeting_heard(&session->meeting, &session->common, peer, &meet);
}

/// Packets after a freeze have waited for us, for an unknown time.
static void take_echo(bks_session *session, uint32_t peer, const bksi_echo *echo)
{
    const bool is_timely = !bksi_clock_is_late(&session->clock, &session->common) &&
                           !bksi_freeze_note(&session->lobby.freeze, session->common.now_ns);
    uint32_t path;
    if (bksi_links_echoed(&session->common.links, peer, echo, is_timely, session->common.now_ns,
                          &path)) {
        bksi_ways_echoed(&session->ways, &session->common, peer, path);
    }
}

/// What an INPUT says beside its inputs.
/// @param is_sound  the inputs were, too
static void take_input_news(bks_session *session, uint32_t peer, const session_input_news *news,
                            bool is_sound)
{
    if (!news->is_sound) {
        return;
    }
    const bksi_input_head *head = &news->head;
    if (head->standing.is_complete) {
        bksi_goodbyes_complete(&session->common.goodbyes, peer);
    }
    if (head->has_echo) {
        take_echo(session, peer, &head->echo);
    }
    bksi_pace_head(&session->tempo.pace, &session->common, peer, news->known, head->head);
    bksi_pace_heard(&session->tempo.pace, &session->common, peer, head->head - head->need);
    if (is_sound && head->hash.kind != BKSI_HASH_NONE &&
        bksi_membership_agrees_on(&session->common.membership, news->head.standing.view,
                                  head->hash.tick)) {
        bksi_checking_heard(&session->checking, &session->common, peer, &head->hash);
    }
}

static bool receive_input(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    if (peer == 0) {
        bksi_lobby_go_now(&session->lobby, &session->common.phase, &session->common);
    }
    // A seat may still pass to another guest, which must not find inputs in it. Another guest may
    // have heard of the start before us; whether there is one the host alone says.
    if (!bksi_phase_has_start(&session->common.phase)) {
        return !session->common.config.is_host;
    }
    // Heads travel shortened, so one of long ago could be taken for a newer one.
    if (message->is_sealed &&
        bksi_link_is_stale(&session->common.links.peers[peer].link, message->number)) {
        return true;
    }
    session_input_news news;
    bool is_sound = bksi_exchange_receive(&session->exchange, &session->inputs, &session->common,
                                          peer, message->body, message->body_bytes, &news);
    take_input_news(session, peer, &news, is_sound);
    // One that said goodbye to us alone would be dropped by us alone.
    if (is_sound && message->is_sealed &&
        session->common.membership.peer_view[peer] == session->common.membership.view &&
        message->number == session->common.links.peers[peer].link.newest_number) {
        bksi_goodbyes_forgive(&session->common.goodbyes, peer);
    }
    return is_sound;
}

/// On what a new view and the one before it do not agree, nothing counts that peers sent before.
static bool receive_view(bks_session *session, uint32_t peer, const uint8_t *body, size_t count)
{
    bksi_bit_reader reader = bksi_bit_reader_over(body, count);
    bool has_entered = false;
    bool is_sound = bksi_views_receive(&session->views, &session->common, &session->inputs, peer,
                                       &reader, &has_entered);
    if (has_entered) {
        bksi_checking_forget(&session->checking, &session->common);
    }
    return is_sound;
}

static bool receive_slow(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    return bksi_budget_receive(&session->tempo.budget, &session->common.events, &session->common,
                               peer, &reader);
}

static bool receive_bulk(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bksi_echo echo;
    if (!bksi_bulk_streams_receive(&session->bulk, &session->common.links, &session->common, peer,
                                   message->body, message->body_bytes, &echo)) {
        return false;
    }
    bksi_liveness_echo(&session->inputs.liveness, &session->common, peer, &echo);
    take_echo(session, peer, &echo);
    return true;
}

static bool receive_word(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bksi_bit_reader reader = bksi_bit_reader_over(message->body, message->body_bytes);
    return bksi_ways_receive_word(&session->ways, &session->common, peer, &reader);
}

/// Messages of a match that runs, or has run.
static bool receive_running(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bool is_over = bksi_phase_seen(&session->common.phase) == BKS_PHASE_FAILED &&
                   bksi_phase_has_start(&session->common.phase);
    if (bksi_phase_seen(&session->common.phase) == BKS_PHASE_ENDED || is_over) {
        bksi_goodbyes_set(&session->common.goodbyes, peer, true);
        return true;
    }
    switch (message->type) {
    case BKSI_PACKET_INPUT:
        return receive_input(session, peer, message);
    case BKSI_PACKET_BULK:
        return receive_bulk(session, peer, message);
    case BKSI_PACKET_COMPARE:
        return receive_compare(session, peer, message);
    case BKSI_PACKET_MEET:
        return receive_meet(session, peer, message);
    case BKSI_PACKET_SLOW:
        return receive_slow(session, peer, message);
    case BKSI_PACKET_VIEW:
        return receive_view(session, peer, message->body, message->body_bytes);
    default:
        return false;
    }
}

/// A peer that is out of our view, or whose view we are out of, says that.
static bool is_gone(const bksi_guard_message *message)
{
    return message->type == BKSI_PACKET_VIEW && message->body_bytes > 0 &&
           message->body[0] == BKSI_VIEW_GONE;
}

/// Whether the time of the first tick is not known yet.
static bool is_before_the_start(const bks_session *session)
{
    const session_phase *phase = &session->common.phase;
    return bksi_phase_is_in_lobby(phase) && !bksi_phase_has_start(phase);
}

/// Before the start a seat may still pass to another guest, which must not be held to hashes and
/// bytes of this one. Words of paths go by channels.
static bool is_too_early(const bks_session *session, uint32_t type)
{
    return type != BKSI_PACKET_INPUT && type != BKSI_PACKET_WORD && is_before_the_start(session);
}

static bool receive_match_packet(bks_session *session, uint32_t peer,
                                 const bksi_guard_message *message)
{
    uint32_t type = message->type;
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    if (type == BKSI_PACKET_BYE) {
        return receive_bye(session, peer, &reader);
    }
    if (is_gone(message)) {
        return receive_view(session, peer, message->body, message->body_bytes);
    }
    if (!bksi_common_has(&session->common, peer)) {
        bksi_views_heard_departed(&session->views, &session->common, peer);
        return true;
    }
    if (is_too_early(session, type)) {
        return !session->common.config.is_host; // another may have heard of the start before us
    }
    bool is_sound = true;
    if (type == BKSI_PACKET_HASHES) {
        is_sound = receive_hashes(session, peer, &reader);
    } else if (type == BKSI_PACKET_WORD) {
        is_sound = receive_word(session, peer, message);
    } else if (session->lobby.start.is_made) {
        is_sound = receive_running(session, peer, message);
    }
    if (is_sound) {
        bksi_liveness_heard(&session->inputs.liveness, &session->common.events, &session->common,
                            peer);
    }
    return is_sound;
}

/// A LINK that echoes one of ours shows that its way works.
static void note_link(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    bksi_link_message link;
    if (bksi_link_message_read(&reader, &link)) {
        bksi_ways_linked(&session->ways, &session->common, peer, &link, !message->is_carried);
    }
}

/// Before the start only one that leaves says goodbye.
static bool receive_early_bye(bks_session *session, bksi_channel from, bksi_byte_reader *reader)
{
    bksi_bye bye;
    if (!bksi_bye_read(reader, &bye) || bye != BKSI_BYE_LEAVES) {
        return false;
    }
    bksi_lobby_goodbye(&session->lobby, &session->common, from);
    return true;
}

/// A message of a peer, however it came.
static bool receive_message(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    // The sender of a first message is unproved, so it can only ask.
    if (!message->is_proven && message->type != BKSI_PACKET_JOIN &&
        message->type != BKSI_PACKET_LINK) {
        return false;
    }
    if (message->type == BKSI_PACKET_LINK && message->is_proven && peer != BKS_PEERS_MAX) {
        note_link(session, peer, message);
    }
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    if (message->type == BKSI_PACKET_BYE && is_before_the_start(session)) {
        return receive_early_bye(session, message->channel, &reader);
    }
    if (message->type >= BKSI_PACKET_JOIN && message->type <= BKSI_PACKET_LINK) {
        return bksi_lobby_receive(&session->lobby, &session->common, &session->inputs.liveness,
                                  message, &reader);
    }
    return message->type <= BKSI_PACKET_SLOW && peer != BKS_PEERS_MAX &&
           (bksi_phase_has_roster(&session->common.phase) || session->common.goodbyes.has_left) &&
           receive_match_packet(session, peer, message);
}

/// @param way  by which it came, 0: straight
/// @return the peer that sent it, BKS_PEERS_MAX: none of ours
static uint32_t note_arrival(bks_session *session, const bksi_guard_message *message, uint32_t way)
{
    uint32_t peer = bksi_seats_peer(&session->common.seats, message->channel);
    if (peer != BKS_PEERS_MAX && message->is_sealed) {
        bksi_links_received(&session->common.links, peer, message, way, session->common.now_ns);
        bksi_ways_heard(&session->ways, &session->common, peer, way);
    }
    return peer;
}

/// A packet of another peer came through one.
static bool receive_carried_packet(bks_session *session, uint32_t carrier,
                                   const session_carriage_piece *piece)
{
    bksi_guard *guard = &session->common.guard;
    bksi_guard_verdict verdict = bksi_guard_receive_carried(
        guard, session->common.now_ns, piece->origin, carrier, piece->bytes, piece->count);
    bool is_sound = verdict != BKSI_GUARD_REFUSED;
    bksi_guard_message message;
    while (bksi_guard_take(guard, &message)) {
        uint32_t peer = note_arrival(session, &message, piece->route);
        is_sound &= receive_message(session, peer, &message);
    }
    return is_sound;
}

/// What a peer carries to us, or to others through us, and what it says itself.
static bool receive_carried(bks_session *session, uint32_t carrier,
                            const bksi_guard_message *message)
{
    session_carriage_bundle bundle;
    // A first message in a peer's name may hold anything.
    if (carrier == BKS_PEERS_MAX || !message->is_proven ||
        !bksi_phase_has_roster(&session->common.phase) ||
        !bksi_carriage_open(&bundle, message->body, message->body_bytes)) {
        return false;
    }
    bksi_guard_message own = *message; // the guard's own bytes go with the next packet
    bool is_sound = true;
    session_carriage_piece piece;
    while (bksi_carriage_next(&session->carriage, &session->common, carrier, &bundle, &piece)) {
        if (piece.is_own) {
            own.type = piece.type;
            own.body = piece.bytes;
            own.body_bytes = piece.count;
            is_sound &= receive_message(session, carrier, &own);
        } else {
            is_sound &= receive_carried_packet(session, carrier, &piece);
        }
    }
    if (bksi_phase_is_running(&session->common.phase) &&
        bksi_common_has(&session->common, carrier)) {
        bksi_liveness_heard(&session->inputs.liveness, &session->common.events, &session->common,
                            carrier);
    }
    return is_sound && !bundle.is_bad;
}

bool bksi_packets_take(bks_session *session, const bksi_guard_message *message)
{
    bool is_others = message->type == BKSI_PACKET_CARRIED &&
                     !bksi_carriage_has_own(message->body, message->body_bytes);
    uint32_t peer = note_arrival(session, message, is_others ? BKSI_WAY_OF_OTHERS : 0);
    session->packets_in.from = peer;
    return message->type == BKSI_PACKET_CARRIED ? receive_carried(session, peer, message)
                                                : receive_message(session, peer, message);
}

void bksi_packets_receive(bks_session *session, const bks_address *from, const void *bytes,
                          size_t count)
{
    bksi_guard_verdict verdict =
        bksi_guard_receive(&session->common.guard, session->common.now_ns, from, bytes, count);
    bool is_sound = verdict != BKSI_GUARD_REFUSED;
    bksi_guard_message message;
    session->packets_in.from = BKS_PEERS_MAX;
    while (bksi_guard_take(&session->common.guard, &message)) {
        is_sound &= bksi_packets_take(session, &message);
    }
    if (is_sound) {
        session->packets_in.received++;
    } else {
        session->packets_in.refused++;
    }
}
