// SPDX-License-Identifier: MIT

// Inputs on the wire: every packet carries all inputs from the first one the peer has not
// acknowledged to the newest, so nothing ever waits for a retransmission [Fiedler; INVERSUS, Input
// Communication].

#include "session/session_internal.h"

#include <string.h>

#include "base/report.h"
#include "session/lie.h"

bks_tick bksi_exchange_peer_head(const bks_session *session, uint32_t peer)
{
    return session->timelines[session->peers[peer].first_player].head;
}

bks_tick bksi_exchange_own_head(const bks_session *session)
{
    return bksi_exchange_peer_head(session, session->self);
}

bks_tick bks_session_confirmed(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_confirmed", "session");
        return 0;
    }
    bks_tick least = INT32_MAX;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        bks_tick head = bksi_exchange_peer_head(session, i);
        least = head < least ? head : least;
    }
    if (bksi_planted(BKSI_PLANT_GUESS) && least < session->front)
        least++;
    return session->stage == LOBBY_GATHERING ? 0 : least;
}

/// Whether the timelines have room for a tick while all that may still be resimulated stays.
static bool has_room(const bks_session *session, bks_tick tick)
{
    int64_t oldest = (int64_t)session->front - 2 * (int64_t)session->config.window_ticks - 2;
    return tick - oldest < (int64_t)session->capacity_ticks;
}

static void found_wrong(bks_session *session, bks_tick tick)
{
    if (bksi_planted(BKSI_PLANT_FORGOT))
        return;
    if (bksi_planted(BKSI_PLANT_AFTER))
        tick++;
    if (session->wrong == BKS_TICK_NONE || tick < session->wrong)
        session->wrong = tick;
}

static void append_tick(bks_session *session, const session_peer *peer, const uint8_t *inputs)
{
    for (uint32_t i = 0; i < peer->player_count; i++) {
        bks_tick wrong = bksi_timeline_append(&session->timelines[peer->first_player + i],
                                              inputs + (size_t)i * session->layout.bytes);
        if (wrong != BKS_TICK_NONE)
            found_wrong(session, wrong);
    }
}

/// Read the inputs of a message; those already known are read over.
static bool read_inputs(bks_session *session, const session_peer *peer, bksi_bit_reader *reader,
                        const bksi_input_head *head)
{
    bksi_timeline *first = &session->timelines[peer->first_player];
    bks_tick known = first->head;
    if (bksi_planted(BKSI_PLANT_TWICE) && head->first + (bks_tick)head->count == known)
        known--;
    if (head->count == 0 || head->first > known || head->first + (bks_tick)head->count <= known)
        return true;
    if (bksi_planted(BKSI_PLANT_SHIFT) && head->first < known)
        known--;
    if (head->first <= known - (bks_tick)session->capacity_ticks)
        return false;
    size_t bytes = session->layout.bytes;
    uint8_t *inputs = session->packed;
    for (uint32_t i = 0; i < peer->player_count; i++)
        memcpy(
            inputs + i * bytes,
            bksi_timeline_confirmed(&session->timelines[peer->first_player + i], head->first - 1),
            bytes);
    for (uint32_t k = 0; k < head->count; k++) {
        bks_tick tick = head->first + (bks_tick)k;
        for (uint32_t i = 0; i < peer->player_count; i++)
            bksi_codec_read(reader, &session->layout, inputs + i * bytes, inputs + i * bytes);
        if (reader->failed)
            return false;
        if (tick < known)
            continue;
        if (!has_room(session, tick))
            break;
        append_tick(session, peer, inputs);
    }
    return true;
}

bool bksi_exchange_receive(bks_session *session, uint32_t peer_index, const uint8_t *body,
                           size_t count)
{
    session_peer *peer = &session->peers[peer_index];
    bksi_bit_reader reader = bksi_bit_reader_over(body, count);
    bksi_input_head head;
    if (!bksi_input_head_read(&reader, bksi_exchange_peer_head(session, peer_index), &head))
        return false;
    if (head.need > bksi_exchange_own_head(session))
        return false;
    if (head.has_echo && head.hold != BKSI_HOLD_NONE)
        bksi_link_echoed(&peer->link, head.echo, head.hold * (uint64_t)BKSI_HOLD_UNIT_NS,
                         session->now_ns);
    if (head.need > peer->need)
        peer->need = head.need;
    peer->is_moving = head.head > bksi_exchange_peer_head(session, peer_index);
    peer->input_ns = session->now_ns;
    bksi_pace_note(&peer->remote_lag, (double)(head.head - head.need));
    if (!read_inputs(session, peer, &reader, &head))
        return false;
    if (head.hash_kind != BKSI_HASH_NONE) {
        remote_hash hash = {head.hash_tick, head.hash_kind, head.state_hash, head.inputs_hash};
        bksi_checking_heard(session, peer_index, &hash);
    }
    peer->packets_received++;
    return true;
}

/// First tick the peer needs. One that never acknowledges gets no older ones than there are.
static bks_tick first_to_send(const bks_session *session, const session_peer *peer, bks_tick head)
{
    bks_tick oldest = head - (bks_tick)session->capacity_ticks + 1;
    return peer->need > oldest ? peer->need : oldest;
}

/// Write inputs from `first` on, oldest first, as many as fit.
/// @return ticks written
static uint32_t write_inputs(bks_session *session, uint32_t to_peer, bksi_bit_writer *writer,
                             bks_tick first, bks_tick head)
{
    const session_peer *own = &session->peers[session->self];
    uint32_t count = 0;
    for (bks_tick tick = first; tick < head; tick++) {
        size_t before_bits = writer->at_bits;
        for (uint32_t i = 0; i < own->player_count; i++) {
            uint8_t scratch[2][BKSI_INPUT_BYTES_MAX];
            uint32_t player = own->first_player + i;
            bksi_codec_write(writer, &session->layout,
                             bksi_session_told(session, to_peer, player, tick - 1, scratch[0]),
                             bksi_session_told(session, to_peer, player, tick, scratch[1]));
        }
        if (writer->failed) {
            writer->at_bits = before_bits;
            break;
        }
        count++;
    }
    return count;
}

static void fill_hash(const bks_session *session, session_peer *peer, bksi_input_head *head)
{
    if (session->published == BKS_TICK_NONE || session->published > head->head)
        return;
    const own_hash *own = bksi_checking_own(session, session->published);
    if (bksi_planted(BKSI_PLANT_HASH) && session->published < session->front)
        own = &session->hashes[(uint32_t)(session->published + 1) % session->capacity_ticks];
    if (own == NULL) // a later tick's hash lies in its place, soon to be published
        return;
    head->hash_kind = peer->full_hash_countdown == 0 ? BKSI_HASH_FULL : BKSI_HASH_SHORT;
    head->hash_tick = own->tick;
    head->state_hash = own->state;
    head->inputs_hash = own->inputs;
    uint32_t rate = session->config.tick_rate_hz;
    rate = rate < 20 ? 20 : rate > 120 ? 120 : rate;
    peer->full_hash_countdown =
        peer->full_hash_countdown == 0 ? rate : peer->full_hash_countdown - 1;
}

static void copy_bits(bksi_bit_writer *to, const uint8_t *bytes, size_t bits)
{
    bksi_bit_reader from = bksi_bit_reader_over(bytes, (bits + 7) / 8);
    while (bits > 0) {
        uint32_t part = bits < 64 ? (uint32_t)bits : 64;
        bksi_write_bits(to, bksi_read_bits(&from, part), part);
        bits -= part;
    }
}

size_t bksi_exchange_write(bks_session *session, uint32_t peer_index, uint8_t *body)
{
    session_peer *peer = &session->peers[peer_index];
    uint8_t scratch[BKSI_BODY_BYTES_MAX - BKSI_INPUT_HEAD_BYTES_MAX];
    bksi_bit_writer inputs = bksi_bit_writer_over(scratch, sizeof(scratch));
    bksi_input_head head = {.head = bksi_exchange_own_head(session),
                            .need = bksi_exchange_peer_head(session, peer_index),
                            .hash_tick = BKS_TICK_NONE};
    if (bksi_planted(BKSI_PLANT_ACK))
        head.need++;
    head.first = first_to_send(session, peer, head.head);
    head.count = write_inputs(session, peer_index, &inputs, head.first, head.head);
    if (peer->echo_countdown == 0)
        head.has_echo =
            bksi_link_echo(&peer->link, session->now_ns, BKSI_HOLD_UNIT_NS, &head.echo, &head.hold);
    peer->echo_countdown = peer->echo_countdown == 0 ? ECHO_EVERY - 1 : peer->echo_countdown - 1;
    fill_hash(session, peer, &head);
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_input_head_write(&writer, &head);
    copy_bits(&writer, scratch, inputs.at_bits);
    bksi_pace_note(&peer->local_lag, (double)(head.head - head.need));
    session->stats.input_bytes_sent += bksi_bit_writer_bytes(&inputs);
    return bksi_bit_writer_bytes(&writer);
}
