// SPDX-License-Identifier: MIT

#include "session/running_messages.h"

#include "session/session_internal.h"

// ---- HEARS ----

bool bksi_receive_hears(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    bksi_bit_reader bits = bksi_bit_reader_over(reader->bytes, reader->count);
    return bksi_routes_receive_hears(&session->routes, &session->common, in->peer, &bits);
}

void bksi_write_hears(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    if (bksi_routes_owe_hears(&session->routes, &session->common, message->peer)) {
        bksi_bit_writer bits = bksi_bit_writer_over(writer->bytes, writer->capacity);
        message->has_route =
            bksi_routes_write_hears(&session->routes, &session->common, message->peer, &bits);
        writer->at = bksi_bit_writer_bytes(&bits);
    }
}

// ---- HASHES, MEET, COMPARE ----

static bool is_in_same_view(const session_common *common, uint32_t peer)
{
    return common->membership.peer_view[peer] == common->membership.view;
}

bool bksi_receive_hashes(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    bksi_hashes_message hashes;
    if (!bksi_hashes_read(reader, &hashes)) {
        return false;
    }
    if (is_in_same_view(&session->common, in->peer)) {
        bksi_checking_heard_many(&session->checking, &session->common, &session->common.events,
                                 in->peer, &hashes);
    }
    return true;
}

void bksi_write_hashes(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    if (bksi_checking_owes_hashes(&session->checking, &session->common, message->peer)) {
        bksi_checking_write_hashes(&session->checking, &session->common, message->peer, writer);
    }
}

/// Process a MEET. A report from another view may be wrong in ours, so it is ignored.
bool bksi_receive_meet(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    bksi_meet_message meet;
    return bksi_meet_read(reader, &meet) &&
           (!is_in_same_view(&session->common, in->peer) ||
            bksi_meeting_heard(&session->meeting, &session->common, in->peer, &meet));
}

void bksi_write_meet(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    bksi_meeting_write(&session->meeting, &session->common, message->peer, writer);
}

/// Process a COMPARE: a question about differing states, or an answer.
bool bksi_receive_compare(bks_session *session, const session_incoming *in,
                          bksi_byte_reader *reader)
{
    session_common *common = &session->common;
    bksi_compare_answer answer;
    bool is_answer = false;
    if (!bksi_compare_read(reader, &is_answer, &answer)) {
        return false;
    }
    if (is_answer) {
        bksi_descent_heard(&session->descent, &session->checking, common, in->peer, &answer);
        bksi_fetch_heard(&session->fetch, common, in->peer, &answer);
    } else {
        const bool is_let = bksi_meeting_lets_fetch(&session->meeting, in->peer, answer.to.tick);
        bksi_answers_ask(&session->answers, common, in->peer, &answer.to, is_let);
    }
    return true;
}

void bksi_write_compare(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    const session_common *common = &session->common;
    const uint32_t to = PEER_BIT(message->peer);
    if ((bksi_answers_peers(&session->answers) & to) != 0) {
        bksi_answers_write(&session->answers, message->peer, writer);
    } else if ((bksi_descent_peers(&session->descent, common) & to) != 0) {
        bksi_descent_write(&session->descent, common, writer);
    } else {
        bksi_fetch_write(&session->fetch, common, writer);
    }
}

// ---- SLOW ----

bool bksi_receive_slow(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    return bksi_budget_receive(&session->tempo.budget, &session->common.events, &session->common,
                               in->peer, reader);
}

void bksi_write_slow(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    bksi_budget_write(&session->tempo.budget, message->peer, writer);
}

// ---- INPUT, BULK ----

/// Process an echo of a packet of ours. After a freeze of our process the echo does not measure the
/// line, because it has waited for us for an unknown time.
static void take_echo(bks_session *session, uint32_t peer, const bksi_echo *echo)
{
    session_common *common = &session->common;
    const bool is_timely = !bksi_clock_is_late(&session->clock, common) &&
                           !bksi_freeze_note(&session->lobby.freeze, common->now_ns);
    uint32_t path;
    if (bksi_links_echoed(&common->links, peer, echo, is_timely, common->now_ns, &path)) {
        bksi_routes_echoed(&session->routes, common, peer, path);
    }
}

/// Pass the fields of an INPUT other than its inputs to the parts that use them.
/// @param is_sound  true if the inputs of the INPUT were valid
static void take_input_news(bks_session *session, uint32_t peer, const session_input_news *news,
                            bool is_sound)
{
    session_common *common = &session->common;
    const bksi_input_head *head = &news->head;
    if (head->standing.is_complete) {
        bksi_goodbyes_complete(&common->goodbyes, peer);
    }
    bksi_game_speed_heard(common, peer, &head->standing.wish);
    if (head->has_echo) {
        take_echo(session, peer, &head->echo);
    }
    bksi_pace_head(&session->tempo.pace, common, peer, news->known, head->head);
    bksi_pace_heard(&session->tempo.pace, common, peer, head->head - head->need);
    if (is_sound && head->hash.kind != BKSI_HASH_NONE &&
        bksi_membership_agrees_on(&common->membership, head->standing.view, head->hash.tick)) {
        bksi_checking_heard(&session->checking, common, peer, &head->hash);
    }
}

/// Return true if an INPUT of the host names our roster. If it names another one, ours may be old,
/// and the ROSTER of the stage GO brings the newest.
static bool is_of_our_roster(const session_common *common, const bksi_byte_reader *reader)
{
    bksi_range_decoder decoder;
    bksi_input_head head;
    bksi_range_decoder_init(&decoder, reader->bytes, reader->count);
    return bksi_input_head_read(&decoder, common->seats.first_tick, bksi_common_head(common, 0),
                                &head) &&
           head.standing.view_hash != 0 &&
           bksi_membership_knows(&common->membership, head.standing.view, head.standing.view_hash);
}

bool bksi_receive_input(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    session_common *common = &session->common;
    if (in->peer == 0 && bksi_phase_is_linking(&common->phase) &&
        is_of_our_roster(common, reader)) {
        bksi_lobby_go_now(&session->lobby, &common->phase, common);
    }
    // Before the start, ignore inputs: the sender's seat may still pass to another guest, whose
    // timelines must be empty. A guest may get an INPUT early, because another guest may have heard
    // of the start first. A host gets none early, because no guest hears of the start before its
    // host.
    if (!bksi_phase_has_start(&common->phase)) {
        return !common->config.is_host;
    }
    const bksi_link *link = &common->links.peers[in->peer].link;
    // Ignore a stale packet: heads are sent shortened, so an old head could be mistaken for a newer
    // one.
    if (in->message->is_sealed && bksi_link_is_stale(link, in->message->number)) {
        return true;
    }
    session_input_news news;
    bool is_sound = bksi_exchange_receive(&session->exchange, &session->inputs, common, in->peer,
                                          reader->bytes, reader->count, &news);
    if (news.is_sound) {
        take_input_news(session, in->peer, &news, is_sound);
    }
    // A peer that sends inputs plays on, so forget its goodbye: if it sent one only to us, only we
    // would drop it.
    if (is_sound && in->message->is_sealed && is_in_same_view(common, in->peer) &&
        in->message->number == link->newest_number) {
        bksi_goodbyes_forgive(&common->goodbyes, in->peer);
    }
    return is_sound;
}

void bksi_owe_messages(bks_session *session)
{
    session_common *common = &session->common;
    if (!bksi_exchange_is_due(&session->exchange, common, session->clock.tick_passed)) {
        return;
    }
    if (bksi_phase_seen(&common->phase) == BKS_PHASE_ENDED || common->goodbyes.has_left) {
        bksi_goodbyes_repeat(&common->goodbyes, bksi_common_awaited(common));
    }
    session->running_messages.owed_probes = 0;
    session->running_messages.owed_inputs =
        bksi_phase_is_running(&common->phase)
            ? bksi_exchange_find_due(&session->exchange, &common->links, &common->events, common,
                                     &session->inputs.liveness, &session->routes,
                                     bksi_budget_slow_ends(&session->tempo.budget, common))
            : 0;
}

void bksi_choose_route(const bks_session *session, session_outgoing *message)
{
    const session_route chosen = bksi_routes_to(&session->routes, &session->common, message->peer);
    message->route = chosen.route;
    message->path = chosen.id;
    message->has_route = true;
}

/// Write our inputs for the route in use. Later in the update, write them once more for a second
/// route that is being tried.
void bksi_write_input(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    session_common *common = &session->common;
    const uint32_t peer = message->peer;
    const bks_tick head = bksi_common_head(common, peer);
    const bool is_probe = (session->running_messages.owed_inputs & PEER_BIT(peer)) == 0;
    session->running_messages.owed_inputs &= ~PEER_BIT(peer);
    if (is_probe) {
        session->running_messages.owed_probes &= ~PEER_BIT(peer);
        message->has_route =
            bksi_routes_probe(&session->routes, common, peer, &message->route, &message->path);
        if (!message->has_route) {
            return;
        }
    } else {
        session->running_messages.owed_probes |= session->routes.detours & PEER_BIT(peer);
        bksi_choose_route(session, message);
        bksi_links_take_path(&common->links, peer, message->path,
                             !bksi_route_is_direct(&message->route), common->now_ns);
        if (bksi_liveness_is_fine(&session->inputs.liveness, common, peer)) {
            bksi_pace_sent(&session->tempo.pace, common, peer, bksi_common_own_head(common) - head);
        }
    }
    bksi_input_head input = {
        .hash = bksi_checking_fill(&session->checking, common, peer, head),
    };
    bksi_links_fill_echo(&common->links, peer, common->now_ns, is_probe, &input);
    writer->at = bksi_exchange_write(&session->exchange, &session->inputs.runs, common, peer,
                                     &input, writer->bytes);
    if (!is_probe && bksi_exchange_continues(&session->exchange, &common->links, peer)) {
        session->running_messages.owed_inputs |= PEER_BIT(peer);
    }
}

static session_bulk_streams *streams_of(bks_session *session, bool is_lane)
{
    return is_lane ? &session->inputs.runs.lane.streams : &session->bulk;
}

bool bksi_receive_bulk(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    bksi_echo echo;
    const bool is_lane =
        reader->count > BKSI_ECHO_BYTES &&
        bksi_bulk_message_is_lane(reader->bytes + BKSI_ECHO_BYTES, reader->count - BKSI_ECHO_BYTES);
    if (!bksi_bulk_streams_receive(streams_of(session, is_lane), &session->common.links,
                                   &session->common, in->peer, reader->bytes, reader->count,
                                   &echo)) {
        return false;
    }
    bksi_liveness_echo(&session->inputs.liveness, &session->common, in->peer, &echo);
    take_echo(session, in->peer, &echo);
    return true;
}

void bksi_write_bulk(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    const bool is_carried = (session->routes.detours & PEER_BIT(message->peer)) != 0;
    for (uint32_t i = 0; i < 2 && writer->at == 0; i++) {
        message->is_lane = i == 0;
        // Every path carries a message of the lane, because players wait for it.
        const size_t room = message->is_lane ? BKSI_MESSAGE_BYTES_MAX
                            : is_carried     ? BKSI_CARRIED_BODY_BYTES_MAX
                                             : BKSI_BODY_BYTES_MAX;
        writer->at =
            bksi_bulk_streams_write(streams_of(session, message->is_lane), &session->common.links,
                                    &session->common, message->peer, writer->bytes, room);
    }
}
