// SPDX-License-Identifier: MIT

// The table of messages (`rows`) has for each kind of message:
//
//     comes_in  phases of the match in which the message may come
//     required  facts about its sender and about us without which it may not come
//     receive   function that reads it and passes its contents to the parts
//     write     function that writes it to a peer, or nothing if it need not be sent yet
//
// `find_owed` lists the kinds in the order of sending, each with the peers that it may have to be
// sent to now. The lobby writes its own messages.
//
// A message that may not come now is not always a fault (see `may_come`): another guest may have
// heard of the start before us, and a peer that is out of our view may not know it.

#include "session/messages.h"

#include "session/session_internal.h"

/// Phases of the match, as bits.
enum {
    GATHERING = 1u << STAGE_GATHERING,
    LINKING = 1u << STAGE_LINKING,
    STARTING = 1u << STAGE_STARTING,
    RUNNING = 1u << STAGE_RUNNING,
    OVER = 16u,   ///< the match has ended, or failed after the start
    FAILED = 32u, ///< the match has failed before the start

    BEFORE_START = GATHERING | LINKING,
    IN_LOBBY = BEFORE_START | STARTING,
    STARTED = STARTING | RUNNING,
    ALWAYS = IN_LOBBY | RUNNING | OVER | FAILED,
};

static uint32_t phase_now(const session_phase *phase)
{
    return phase->outcome == OUTCOME_OPEN                                   ? 1u << phase->stage
           : phase->outcome == OUTCOME_ENDED || bksi_phase_has_start(phase) ? OVER
                                                                            : FAILED;
}

/// Requirements of a message, as bits.
enum {
    /// The message did not come in the first packet of a handshake, whose sender is only known to
    /// have the match key.
    PROVEN = 1u,
    NUMBERED = 2u,    ///< the message's sender is one of our peers
    AT_HOST = 4u,     ///< we are the host
    FROM_HOST = 8u,   ///< the message's sender is the host
    WITH_HOST = 16u,  ///< we or the message's sender are the host
    ALL_KNOWN = 32u,  ///< the roster is complete, or we have left
    MEMBER = 64u,     ///< the message's sender is in our view
    HAS_STATE = 128u, ///< we have made the state of the first tick

    PEER = PROVEN | NUMBERED | ALL_KNOWN,
    /// Requirements that every message of an honest peer meets.
    HONEST = PEER | AT_HOST | FROM_HOST | WITH_HOST,
    IN_VIEW = PEER | MEMBER,
    PLAYER = IN_VIEW | HAS_STATE,
};

static uint32_t find_facts(const bks_session *session, uint32_t peer, bool is_proven)
{
    const session_common *common = &session->common;
    const bool is_numbered = peer != BKS_PEERS_MAX;
    const bool is_known = bksi_phase_has_roster(&common->phase) || common->goodbyes.has_left;
    uint32_t facts = is_proven ? PROVEN : 0;
    facts |= is_numbered ? NUMBERED : 0;
    facts |= common->config.is_host ? AT_HOST | WITH_HOST : peer == 0 ? FROM_HOST | WITH_HOST : 0;
    facts |= is_known ? ALL_KNOWN : 0;
    facts |= is_numbered && bksi_common_has(common, peer) ? MEMBER : 0;
    return facts | (session->lobby.start.is_made ? HAS_STATE : 0);
}

// Kinds of messages besides those of bksi_packet_type.
#define EARLY_BYE 16u ///< BYE before the start
#define VIEW_GONE 17u ///< VIEW with the sub-type GONE: the receiver is out of the sender's view

typedef struct message_row {
    uint32_t comes_in;
    uint32_t required;
    session_message_receive *receive;
    session_message_write *write;
} message_row;

// ---- before the start ----

static bool receive_join(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    return bksi_lobby_receive_join(&session->lobby, &session->common, &session->inputs.liveness,
                                   in->message, reader);
}

static bool receive_roster(bks_session *session, const session_incoming *in,
                           bksi_byte_reader *reader)
{
    (void)in;
    return bksi_lobby_receive_roster(&session->lobby, &session->common, &session->inputs.liveness,
                                     reader);
}

static bool receive_refusal(bks_session *session, const session_incoming *in,
                            bksi_byte_reader *reader)
{
    return bksi_lobby_receive_refusal(&session->lobby, &session->common, in->message->channel,
                                      reader);
}

static bool receive_link(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    bksi_link_message link;
    if (!bksi_link_message_read(reader, &link)) {
        return false;
    }
    if (in->message->is_proven) { // a LINK that echoes one of ours shows that its route works
        bksi_routes_linked(&session->routes, &session->common, in->peer, &link,
                           !in->message->is_carried);
    }
    return bksi_lobby_receive_link(&session->lobby, &session->common, &session->inputs.liveness,
                                   in->peer, in->message, &link);
}

/// Process a goodbye before the start: only a peer that leaves sends one.
static bool receive_early_bye(bks_session *session, const session_incoming *in,
                              bksi_byte_reader *reader)
{
    bksi_bye bye;
    if (!bksi_bye_read(reader, &bye) || bye != BKSI_BYE_LEAVES) {
        return false;
    }
    bksi_lobby_goodbye(&session->lobby, &session->common, in->message->channel);
    return true;
}

// ---- BYE, VIEW ----

static bool receive_bye(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    session_common *common = &session->common;
    bool has_ours;
    bks_tick end = bksi_common_end(common);
    bool has_all = end > 0 && bksi_common_head(common, in->peer) >= end;
    if (!bksi_goodbyes_receive(&common->goodbyes, in->peer, bksi_phase_seen(&common->phase),
                               has_all, reader, &has_ours)) {
        return false;
    }
    if (has_ours) {
        bksi_exchange_acknowledge(&session->exchange, common, in->peer,
                                  bksi_common_own_head(common));
    }
    return true;
}

static void write_bye(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    session_common *common = &session->common;
    bool is_whole = bksi_phase_seen(&common->phase) == BKS_PHASE_ENDED &&
                    bksi_common_has_every_tick(common) && bksi_common_has(common, message->peer);
    bksi_goodbyes_write(&common->goodbyes, message->peer, is_whole, writer);
}

static bool receive_view(bks_session *session, const session_incoming *in, bksi_byte_reader *reader)
{
    bksi_bit_reader bits = bksi_bit_reader_over(reader->bytes, reader->count);
    bool has_entered = false;
    bool is_sound = bksi_views_receive(&session->views, &session->common, &session->inputs,
                                       in->peer, &bits, &has_entered);
    if (has_entered) { // forget hashes of ticks that the new view has changed
        bksi_checking_forget(&session->checking, &session->common);
    }
    return is_sound;
}

static void write_view(bks_session *session, session_outgoing *message, bksi_byte_writer *writer)
{
    writer->at = bksi_views_send(&session->views, &session->common, &session->inputs, message->peer,
                                 writer->bytes);
}

// ---- the table of messages ----

static const message_row rows[] = {
    [BKSI_PACKET_JOIN] = {ALWAYS, AT_HOST, receive_join, NULL},
    [BKSI_PACKET_ROSTER] = {IN_LOBBY, PROVEN | FROM_HOST, receive_roster, NULL},
    [BKSI_PACKET_REFUSE] = {ALWAYS, PROVEN | WITH_HOST, receive_refusal, NULL},
    [BKSI_PACKET_LINK] = {ALWAYS, NUMBERED, receive_link, NULL},
    [EARLY_BYE] = {BEFORE_START, PROVEN, receive_early_bye, NULL},

    [BKSI_PACKET_BYE] = {ALWAYS, PEER, receive_bye, write_bye},
    [VIEW_GONE] = {ALWAYS, PEER, receive_view, NULL},
    [BKSI_PACKET_VIEW] = {STARTED, PLAYER, receive_view, write_view},
    [BKSI_PACKET_HEARS] = {ALWAYS, IN_VIEW, bksi_receive_hears, bksi_write_hears},
    [BKSI_PACKET_HASHES] = {STARTED | OVER, IN_VIEW, bksi_receive_hashes, bksi_write_hashes},
    [BKSI_PACKET_MEET] = {STARTED, PLAYER, bksi_receive_meet, bksi_write_meet},
    [BKSI_PACKET_COMPARE] = {STARTED, PLAYER, bksi_receive_compare, bksi_write_compare},
    [BKSI_PACKET_SLOW] = {STARTED, PLAYER, bksi_receive_slow, bksi_write_slow},
    [BKSI_PACKET_INPUT] = {LINKING | STARTED, PLAYER, bksi_receive_input, bksi_write_input},
    [BKSI_PACKET_BULK] = {STARTED, PLAYER, bksi_receive_bulk, bksi_write_bulk},

    [BKSI_PACKET_CARRIED] = {ALWAYS, PEER, NULL, NULL}, // packets.c reads and writes it
    [BKSI_PACKET_HANDSHAKE] = {0},                      // the guard alone handles handshakes
    [BKSI_PACKET_ADDRESS] = {0},
};

#define KINDS (sizeof(rows) / sizeof(rows[0]))

/// Messages that may have to be sent now, in the order of sending.
typedef struct owed_messages {
    uint32_t count;
    uint32_t peers; ///< bits: peers that any message may have to be sent to
    struct {
        uint32_t type;
        uint32_t peers; ///< bits: peers that this message may have to be sent to
    } of[KINDS];
} owed_messages;

static void owe(owed_messages *owed, uint32_t type, uint32_t peers)
{
    if (peers != 0) {
        owed->of[owed->count].type = type;
        owed->of[owed->count++].peers = peers;
        owed->peers |= peers;
    }
}

static void find_owed(const bks_session *session, owed_messages *owed)
{
    const session_common *common = &session->common;
    owed->count = 0;
    owed->peers = 0;
    owe(owed, BKSI_PACKET_BYE, bksi_goodbyes_owed(&common->goodbyes));
    owe(owed, BKSI_PACKET_VIEW, bksi_view_queue_peers(&session->views.queue));
    owe(owed, BKSI_PACKET_HEARS, session->routes.owes_hears);
    if (bksi_phase_is_running(&common->phase)) {
        owe(owed, BKSI_PACKET_HASHES, bksi_checking_peers(&session->checking));
        owe(owed, BKSI_PACKET_MEET, bksi_meeting_peers(&session->meeting, common));
        owe(owed, BKSI_PACKET_COMPARE,
            bksi_answers_peers(&session->answers) | bksi_descent_peers(&session->descent, common) |
                bksi_fetch_peers(&session->fetch, common));
        owe(owed, BKSI_PACKET_SLOW, session->tempo.budget.owes_slow);
        owe(owed, BKSI_PACKET_INPUT,
            session->running_messages.owed_inputs | session->running_messages.owed_probes);
        owe(owed, BKSI_PACKET_BULK,
            bksi_bulk_streams_peers(&session->bulk) |
                bksi_bulk_streams_peers(&session->inputs.runs.lane.streams));
    }
    owed->peers &= bksi_seats_others(&common->seats);
}

// ---- messages that arrive ----

static const message_row *find_row(const session_phase *phase, const bksi_guard_message *message)
{
    uint32_t kind = message->type;
    if (kind == BKSI_PACKET_BYE && (phase_now(phase) & BEFORE_START) != 0) {
        kind = EARLY_BYE;
    } else if (kind == BKSI_PACKET_VIEW && message->body_bytes > 0 &&
               message->body[0] == BKSI_VIEW_GONE) {
        kind = VIEW_GONE;
    }
    return kind < KINDS ? &rows[kind] : &rows[BKSI_PACKET_HANDSHAKE];
}

/// Return true if a message may come now. If not, tell the sender what it has missed.
/// @param out_is_sound  unless the message may come, receives true if the sender is not at fault
static bool may_come(bks_session *session, const message_row *row, uint32_t peer, bool is_proven,
                     bool *out_is_sound)
{
    session_common *common = &session->common;
    const uint32_t now = phase_now(&common->phase);
    const uint32_t lacks = row->required & ~find_facts(session, peer, is_proven);
    if (lacks == 0 && (row->comes_in & now) != 0) {
        return true;
    }
    *out_is_sound = (lacks & HONEST) == 0;
    if (*out_is_sound && (lacks & MEMBER) != 0) {
        bksi_views_heard_departed(&session->views, common, peer);
    } else if (lacks == 0 && now == OVER && row->required == PLAYER) {
        bksi_goodbyes_set(&common->goodbyes, peer, true);
        bksi_liveness_heard(&session->inputs.liveness, &session->common.events, &session->common,
                            peer);
    } else { // a peer may know of the start before us, but not if we are the host
        *out_is_sound &= !common->config.is_host;
    }
    return false;
}

bool bksi_messages_may_come(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bool is_sound;
    const message_row *row = find_row(&session->common.phase, message);
    return may_come(session, row, peer, message->is_proven, &is_sound);
}

bool bksi_messages_receive(bks_session *session, uint32_t peer, const bksi_guard_message *message)
{
    bool is_sound = false;
    const message_row *row = find_row(&session->common.phase, message);
    if (row->receive == NULL || !may_come(session, row, peer, message->is_proven, &is_sound)) {
        return is_sound;
    }
    const session_incoming in = {.peer = peer, .message = message};
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    is_sound = row->receive(session, &in, &reader);
    if (is_sound && (row->required & MEMBER) != 0) {
        bksi_liveness_heard(&session->inputs.liveness, &session->common.events, &session->common,
                            peer);
    }
    return is_sound;
}

// ---- messages to send ----

static bool next_of_lobby(bks_session *session, session_outgoing *message, uint8_t *body)
{
    if (!bksi_lobby_owes_any(&session->lobby)) {
        return false;
    }
    message->count =
        bksi_lobby_send(&session->lobby, &session->common, &message->channel, body, &message->type);
    if (message->count == 0) {
        return false;
    }
    message->peer = bksi_seats_peer(&session->common.seats, message->channel);
    if (message->type == BKSI_PACKET_LINK) {
        bksi_choose_route(session, message);
    }
    return true;
}

/// Write the first message that must be sent to one of `peers`.
static bool next_to_peers(bks_session *session, uint32_t peers, const owed_messages *owed,
                          session_outgoing *message, uint8_t *body)
{
    EACH_PEER (i, peers) {
        message->peer = i;
        message->channel = session->common.seats.peers[i].channel;
        for (uint32_t k = 0; k < owed->count; k++) {
            if ((owed->of[k].peers & PEER_BIT(i)) == 0) {
                continue;
            }
            bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_MESSAGE_BYTES_MAX);
            rows[owed->of[k].type].write(session, message, &writer);
            BKS_ASSERT(!writer.failed);
            if (writer.at > 0) {
                message->type = owed->of[k].type;
                message->count = writer.at;
                if (!message->has_route) {
                    bksi_choose_route(session, message);
                }
                bksi_links_count_sent(&session->common.links, i);
                bksi_routes_went(&session->routes, i);
                return true;
            }
        }
    }
    return false;
}

bool bksi_messages_next(bks_session *session, session_outgoing *message, uint8_t *body)
{
    if (next_of_lobby(session, message, body)) {
        return true;
    }
    owed_messages owed;
    find_owed(session, &owed);
    // Write messages that take a detour first, so that the next message to their first carrier
    // takes them along.
    const uint32_t detours = owed.peers & session->routes.detours;
    const uint32_t rest = owed.peers & ~detours;
    return (detours != 0 && next_to_peers(session, detours, &owed, message, body)) ||
           (rest != 0 && next_to_peers(session, rest, &owed, message, body));
}
