// SPDX-License-Identifier: MIT

// The mesh heals: whoever hears nothing from a peer for some ticks tells the others, and who has
// newer inputs of that peer passes them on. A peer is silent only when it is known to live by no
// path: it was not heard, its head does not move, and no newer beat of it comes. Beats pass from
// peer to peer as far as they must, each from where it is newer to where it is older, so that they
// go by any path there is and end when their peer does; and whom the newest beat of a peer came
// through is the way to it.

#include "session/session_internal.h"

#include <stdio.h>
#include <string.h>

/// Unheard for this long, a peer's inputs are asked for elsewhere: so many ticks, but never less
/// than two of the longest gaps between packets.
#define FINE_TICKS  6u
#define FINE_MIN_NS (100 * NS_PER_MS)

/// A peer's beat counts its time awake in units of 2^26 ns, 67 ms.
#define BEAT_SHIFT 26u
#define BEAT_MASK  ((1u << BKSI_BEAT_BITS) - 1)

/// Whoever still lacks the same input after this long is helped by all.
#define SHARED_AFTER_NS (200 * NS_PER_MS)

/// Between two updates no more than this counts as silence: while we stood still nobody could be
/// heard.
#define AWAKE_GAP_MAX_NS (250 * NS_PER_MS)

void bksi_mesh_start(bks_session *session)
{
    session->updated_ns = session->now_ns;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session_peer *peer = &session->peers[i];
        peer->heard_ns = session->now_ns;
        peer->word_ns = session->awake_ns;
        peer->hears_us = true;
        peer->echo_ns = session->now_ns;
    }
}

void bksi_mesh_word(bks_session *session, uint32_t index)
{
    session_peer *peer = &session->peers[index];
    peer->word_ns = session->awake_ns;
    peer->is_lost = false;
    if (!peer->is_silent) {
        return;
    }
    peer->is_silent = false;
    (void)bksi_session_tell(session, BKS_EVENT_BACK, index, session->engine.front);
}

void bksi_mesh_heard(bks_session *session, uint32_t index)
{
    session->peers[index].heard_ns = session->now_ns;
    bksi_mesh_word(session, index);
}

bool bksi_mesh_is_fine(const bks_session *session, uint32_t index)
{
    const session_peer *peer = &session->peers[index];
    uint64_t patience_ns = FINE_TICKS * NS_PER_SECOND / session->config.tick_rate_hz;
    patience_ns = patience_ns < FINE_MIN_NS ? FINE_MIN_NS : patience_ns;
    return session->now_ns - peer->heard_ns <= patience_ns && peer->hears_us &&
           (session->frozen >> index & 1) == 0;
}

bool bksi_mesh_may_send(const bks_session *session, uint32_t index)
{
    const session_peer *peer = &session->peers[index];
    if (!bksi_views_has(session, index) || peer->has_quit) {
        return false;
    }
    return session->now_ns - peer->heard_ns < THROTTLE_AFTER_NS ||
           session->now_ns - peer->sent_ns >= THROTTLE_GAP_NS;
}

// ---- silence ----

static void watch(bks_session *session, uint32_t index)
{
    session_peer *peer = &session->peers[index];
    uint64_t silence_ns = session->awake_ns - peer->word_ns;
    bool is_given_up = silence_ns >= session->config.tuning.drop_after_ms * NS_PER_MS;
    if (is_given_up && (session->complete >> session->self & 1) != 0) {
        peer->said_bye = true; // with nothing left to wait for
    }
    if (peer->is_silent || silence_ns < session->config.tuning.notify_after_ms * NS_PER_MS) {
        return;
    }
    peer->is_silent = true;
    bks_event *event = bksi_session_tell(session, BKS_EVENT_SILENT, index, session->engine.front);
    (void)snprintf(event->text, sizeof(event->text), "nothing heard from peer %u for %u ms", index,
                   session->config.tuning.notify_after_ms);
}

void bksi_mesh_update(bks_session *session)
{
    uint64_t gap_ns = session->now_ns - session->updated_ns;
    session->awake_ns += gap_ns < AWAKE_GAP_MAX_NS ? gap_ns : AWAKE_GAP_MAX_NS;
    session->updated_ns = session->now_ns;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        const session_peer *peer = &session->peers[i];
        if (i != session->self && bksi_views_has(session, i) && !peer->said_bye &&
            !peer->has_quit) {
            watch(session, i);
        }
    }
}

// ---- who hears whom ----

/// Whom a message between two peers tells about: everybody else, in the view or not.
static uint32_t others_of(const bks_session *session, uint32_t index)
{
    uint32_t all = (1u << session->peer_count) - 1;
    return all & ~(1u << session->self) & ~(1u << index);
}

static uint32_t own_beat(const bks_session *session)
{
    return (uint32_t)(session->awake_ns >> BEAT_SHIFT) & BEAT_MASK;
}

/// Whoever does not hear a peer, or perhaps does not, is told its beat.
static bool is_beat_wanted(const bks_session *session, uint32_t index, uint32_t about)
{
    return bksi_views_has(session, about) &&
           (session->peers[index].wishes[about].is_active || !bksi_mesh_is_fine(session, index));
}

bool bksi_mesh_fill_part(const bks_session *session, uint32_t index, bksi_mesh_part *part)
{
    *part = (bksi_mesh_part){.view = session->view,
                             .view_hash = (uint32_t)session->views[session->view].hash,
                             .beat = own_beat(session),
                             .complete = session->complete};
    for (uint32_t i = 0; i < session->peer_count; i++) {
        part->others[i] = (bksi_mesh_other){
            .is_fine = !bksi_views_has(session, i) || bksi_mesh_is_fine(session, i),
            .need = bksi_heads_of(session, i),
            .has_beat = is_beat_wanted(session, index, i),
            .beat = session->peers[i].beat,
        };
    }
    return !bksi_mesh_part_is_plain(others_of(session, index), part);
}

void bksi_mesh_write_part(const bks_session *session, uint32_t index, bks_tick head,
                          const bksi_mesh_part *part, bksi_bit_writer *writer)
{
    bksi_mesh_part_write(writer, others_of(session, index), head, part);
}

/// @return whether it is news
static bool take_beat(bks_session *session, uint32_t from, uint32_t about, uint32_t beat)
{
    session_peer *peer = &session->peers[about];
    uint32_t newer_by = (beat - peer->beat) & BEAT_MASK;
    if (newer_by == 0 || newer_by > BEAT_MASK / 2) {
        return false;
    }
    peer->beat = beat;
    peer->way = from;
    return true;
}

static void take_other(bks_session *session, uint32_t from, uint32_t about,
                       const bksi_mesh_other *other)
{
    peer_wish *wish = &session->peers[from].wishes[about];
    bool is_news = !other->is_fine && (!wish->is_active || other->need > wish->need);
    wish->is_active = !other->is_fine;
    if (is_news) {
        wish->need = other->need > wish->need ? other->need : wish->need;
        wish->need_ns = session->now_ns;
    }
    bool lives = other->has_beat && take_beat(session, from, about, other->beat);
    // Who is out of a newer view is fine there, since nobody cares.
    bool counts = session->peers[from].view == session->view && bksi_views_has(session, about) &&
                  (session->frozen >> from & 1) == 0;
    if (lives && counts) {
        bksi_mesh_word(session, about);
    }
}

bool bksi_mesh_read_part(bks_session *session, uint32_t index, const bksi_input_head *head,
                         bksi_bit_reader *reader, uint32_t *view)
{
    uint32_t others = others_of(session, index);
    bksi_mesh_part part;
    bksi_mesh_part_plain(&part);
    if (head->has_mesh && !bksi_mesh_part_read(reader, others, head->head, &part)) {
        return false;
    }
    if (!bksi_views_knows(session, part.view, part.view_hash)) {
        return false;
    }
    *view = part.view;
    session_peer *peer = &session->peers[index];
    peer->view = part.view > peer->view ? part.view : peer->view;
    if (head->has_mesh) {
        (void)take_beat(session, index, index, part.beat);
    }
    session->complete |= part.complete & ~PEER_BIT(session->self);
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((others >> i & 1) != 0) {
            take_other(session, index, i, &part.others[i]);
        }
    }
    return true;
}

// ---- forwarding ----

/// One who hears both is enough, the lowest, as long as it helps.
static bool is_left_to_another(const bks_session *session, uint32_t index, uint32_t about)
{
    if (session->now_ns - session->peers[index].wishes[about].need_ns > SHARED_AFTER_NS) {
        return false;
    }
    for (uint32_t i = 0; i < session->self; i++) {
        const session_peer *peer = &session->peers[i];
        if (i != index && i != about && bksi_views_has(session, i) &&
            bksi_mesh_is_fine(session, i) && !peer->wishes[index].is_active &&
            !peer->wishes[about].is_active) {
            return true;
        }
    }
    return false;
}

static bool lacks_what_we_have(const bks_session *session, uint32_t index, uint32_t about)
{
    const peer_wish *wish = &session->peers[index].wishes[about];
    if (about == session->self || about == index || !wish->is_active ||
        !bksi_views_has(session, about) || bksi_mutated(BKSI_MUTANT_FORWARD)) {
        return false;
    }
    // With nothing new, what went the other way is still acknowledged.
    bool has_news = bksi_heads_of(session, about) > wish->need || bksi_mesh_is_fine(session, about);
    return has_news && !is_left_to_another(session, index, about);
}

/// A narrow link takes the first packets of a round and loses the rest, so each in turn goes first.
/// The turns are spread by the golden ratio: whichever rounds a link has room in, at whatever
/// period, everyone is first in its share of them.
static uint32_t whose_turn(const bks_session *session, uint32_t owed)
{
    uint32_t share = session->rounds * 2654435769u;
    uint32_t nth = (uint32_t)((uint64_t)share * bksi_views_count(owed) >> 32);
    while (nth-- > 0) {
        owed &= owed - 1;
    }
    return bksi_views_lowest(owed);
}

void bksi_mesh_owe_inputs(bks_session *session, uint32_t index)
{
    session_peer *peer = &session->peers[index];
    peer->owes_inputs = PEER_BIT(session->self);
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if (lacks_what_we_have(session, index, i)) {
            peer->owes_inputs |= PEER_BIT(i);
        }
    }
    peer->inputs_from = whose_turn(session, peer->owes_inputs);
}

uint32_t bksi_mesh_next_inputs(bks_session *session, uint32_t index)
{
    session_peer *peer = &session->peers[index];
    uint32_t later = peer->owes_inputs & ~(PEER_BIT(peer->inputs_from) - 1);
    uint32_t about = bksi_views_lowest(later != 0 ? later : peer->owes_inputs);
    peer->owes_inputs &= ~PEER_BIT(about);
    return about;
}

size_t bksi_mesh_write_forward(bks_session *session, uint32_t index, uint32_t about, uint8_t *body)
{
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_BODY_BYTES_MAX);
    const session_peer *origin = &session->peers[about];
    bksi_forward_head head = {
        .peer = about, .ack = origin->wishes[index].need, .view = origin->view};
    bksi_forward_head_write(&writer, &head);
    bksi_exchange_write_run(session, &writer, about, session->peers[index].wishes[about].need,
                            bksi_heads_of(session, about));
    session->stats.forwarded++;
    return bksi_bit_writer_bytes(&writer);
}

bool bksi_mesh_receive_forward(bks_session *session, const uint8_t *body, size_t count)
{
    bksi_bit_reader reader = bksi_bit_reader_over(body, count);
    bksi_forward_head head;
    if (!bksi_forward_head_read(&reader, &head) || head.peer >= session->peer_count ||
        head.peer == session->self || head.ack > bksi_heads_own(session)) {
        return false;
    }
    if (!bksi_views_has(session, head.peer)) {
        return true;
    }
    session_peer *peer = &session->peers[head.peer];
    bks_tick known = bksi_heads_of(session, head.peer);
    bks_tick limit = (session->frozen >> head.peer & 1) != 0 ? 0 : INT32_MAX;
    if (!bksi_exchange_read_run(session, &reader, head.peer, limit)) {
        return false;
    }
    peer->need = head.ack > peer->need ? head.ack : peer->need;
    peer->view = head.view > peer->view ? head.view : peer->view;
    bksi_pace_head(session, head.peer, known, bksi_heads_of(session, head.peer));
    return true;
}

// ---- relaying ----

/// The peer through which a message for one that we do not hear goes: one who hears it, else the
/// one through whom its newest beat came; BKS_PEERS_MAX: none.
static uint32_t relay_for(const bks_session *session, uint32_t index, uint32_t not_to)
{
    uint32_t ways = 0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if (i != index && i != session->self && i != not_to && bksi_views_has(session, i) &&
            bksi_mesh_is_fine(session, i)) {
            ways |= PEER_BIT(i);
        }
    }
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if ((ways >> i & 1) != 0 && !session->peers[i].wishes[index].is_active) {
            return i;
        }
    }
    uint32_t way = session->peers[index].way;
    return (ways >> way & 1) != 0 ? way : BKS_PEERS_MAX;
}

bool bksi_mesh_receive_relay(bks_session *session, uint32_t from, const uint8_t *body, size_t count)
{
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_relay_head head;
    if (!bksi_relay_head_read(&reader, &head) ||
        (head.type != BKSI_PACKET_PROPOSE && head.type != BKSI_PACKET_ANSWER) ||
        !bksi_views_has(session, head.origin) || !bksi_views_has(session, head.target) ||
        head.origin == session->self) {
        return false;
    }
    const uint8_t *inner = body + BKSI_RELAY_HEAD_BYTES;
    size_t inner_bytes = count - BKSI_RELAY_HEAD_BYTES;
    if (head.target == session->self) {
        return bksi_views_receive(session, head.type, head.origin, inner, inner_bytes);
    }
    if (head.target == from || (head.passes == 0) != (head.origin == from)) {
        return false;
    }
    // No way is longer than through everybody.
    if (++head.passes >= session->peer_count || session->relay_count == RELAYS_MAX) {
        return true;
    }
    session_relay *relay = &session->relays[session->relay_count++];
    relay->head = head;
    relay->from = from;
    relay->bytes = inner_bytes;
    memcpy(relay->body, inner, inner_bytes);
    return true;
}

static size_t put_relay_head(const bksi_relay_head *head, uint8_t *body)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_RELAY_HEAD_BYTES);
    bksi_relay_head_write(&writer, head);
    return writer.at;
}

size_t bksi_mesh_reroute(bks_session *session, uint32_t index, uint8_t *body, size_t count,
                         uint32_t *type, uint32_t *to)
{
    session_peer *peer = &session->peers[index];
    uint32_t relay = bksi_mesh_is_fine(session, index) ? BKS_PEERS_MAX
                                                       : relay_for(session, index, BKS_PEERS_MAX);
    peer->takes_relay = !peer->takes_relay;
    if (relay == BKS_PEERS_MAX || !peer->takes_relay) {
        return count;
    }
    memmove(body + BKSI_RELAY_HEAD_BYTES, body, count);
    bksi_relay_head head = {.origin = session->self, .target = index, .type = *type};
    *type = BKSI_PACKET_RELAY;
    *to = relay;
    return put_relay_head(&head, body) + count;
}

size_t bksi_mesh_write_relay(bks_session *session, uint8_t *body, uint32_t *type, uint32_t *to)
{
    while (session->relay_count > 0) {
        const session_relay *relay = &session->relays[--session->relay_count];
        uint32_t target = relay->head.target;
        *to = bksi_mesh_is_fine(session, target) ? target : relay_for(session, target, relay->from);
        if (*to == BKS_PEERS_MAX) {
            continue;
        }
        *type = BKSI_PACKET_RELAY;
        size_t head_bytes = put_relay_head(&relay->head, body);
        memcpy(body + head_bytes, relay->body, relay->bytes);
        return head_bytes + relay->bytes;
    }
    return 0;
}
