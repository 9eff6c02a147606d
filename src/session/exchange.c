// SPDX-License-Identifier: MIT

// Inputs on the wire: every packet carries all inputs from the first one the peer has not
// acknowledged to the newest, so nothing ever waits for a retransmission [Fiedler; INVERSUS, Input
// Communication].

#include "session/session_internal.h"

#include <string.h>

#include "base/assert.h"
#include "base/report.h"

/// Echoes come with every few packets, of 20 a second at least.
#define ECHO_PATIENCE_NS NS_PER_SECOND

/// Most bits of inputs that are told by what was learnt: with a head they fit into a body.
#define TOLD_BITS_MAX 8192u
_Static_assert(BKSI_INPUT_HEAD_BYTES_MAX + BKSI_MESH_PART_BYTES_MAX + TOLD_BITS_MAX / 8 + 16 <=
                   BKSI_BODY_BYTES_MAX,
               "a message has room for what may be told");

/// Most bytes of plain inputs: a body less its head, the part about the mesh and how many bits
/// there are, and what a bit at an even chance takes more than one.
#define PLAIN_BYTES_MAX \
    (BKSI_BODY_BYTES_MAX - BKSI_INPUT_HEAD_BYTES_MAX - BKSI_MESH_PART_BYTES_MAX - 24u)

/// Inputs beyond one packet go on in the next ones for a round trip and so long.
#define GO_ON_NS (60 * NS_PER_MS)

/// A run of inputs elsewhere than in INPUT: its first tick, how many, the bits they take, they.
#define RUN_COUNT_BITS  12u
#define RUN_LENGTH_BITS 14u
#define RUN_HEAD_BITS   (32u + RUN_COUNT_BITS + RUN_LENGTH_BITS)

bks_status bksi_exchange_create(bks_session *session, uint32_t players)
{
    bks_status status = BKS_OK;
    for (uint32_t i = 0; status == BKS_OK && i < players; i++) {
        status = bksi_input_stream_create(&session->streams[i], &session->layout,
                                          &session->config.allocator);
    }
    return status;
}

void bksi_exchange_destroy(bks_session *session)
{
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        bksi_input_stream_destroy(&session->streams[i], &session->config.allocator);
    }
}

void bksi_exchange_append(bks_session *session, uint32_t index, const uint8_t *inputs)
{
    const session_peer *peer = &session->peers[index];
    for (uint32_t i = 0; i < peer->player_count; i++) {
        const uint8_t *packed = inputs + (size_t)i * session->layout.bytes;
        bksi_rollback_append(&session->engine, peer->first_player + i, packed);
        bksi_input_stream_learn(&session->streams[peer->first_player + i], packed);
    }
}

void bksi_exchange_sampled(bks_session *session)
{
    const session_peer *own = &session->peers[session->self];
    bks_tick newest = bksi_heads_own(session) - 1;
    for (uint32_t i = 0; i < own->player_count; i++) {
        uint32_t player = own->first_player + i;
        bksi_input_stream_learn(&session->streams[player],
                                bksi_rollback_known(&session->engine, player, newest));
    }
}

/// What inputs from `first` on are told against.
static void inputs_before(const bks_session *session, uint32_t index, bks_tick first,
                          uint8_t *inputs)
{
    const session_peer *peer = &session->peers[index];
    size_t bytes = session->layout.bytes;
    for (uint32_t i = 0; i < peer->player_count; i++) {
        memcpy(inputs + i * bytes,
               bksi_rollback_known(&session->engine, peer->first_player + i, first - 1), bytes);
    }
}

/// Whether the timelines still hold what inputs from `first` on are told against.
static bool holds_before(const bks_session *session, uint32_t index, bks_tick first)
{
    return bksi_rollback_holds(&session->engine, session->peers[index].first_player, first - 1);
}

/// Whether a message from `first` to before `until` brings something new that can be read on from
/// what is known.
static bool brings_news(bks_session *session, uint32_t index, bks_tick first, bks_tick until)
{
    bks_tick known = bksi_heads_of(session, index);
    bool is_again = bksi_mutated(BKSI_MUTANT_TWICE) && until == known;
    bool is_shifted = bksi_mutated(BKSI_MUTANT_SHIFT) && first < known && until > known;
    if ((is_again || is_shifted) && known > 0) {
        uint8_t again[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
        inputs_before(session, index, known, again);
        bksi_exchange_append(session, index, again);
    }
    return first <= known && until > known;
}

/// Take one tick of a message.
/// @param limit  ticks from it on are left
/// @return whether to go on
static bool take_tick(bks_session *session, uint32_t index, bks_tick tick, bks_tick limit,
                      const uint8_t *inputs)
{
    if (tick >= limit || !bksi_rollback_has_room(&session->engine, tick)) {
        return false;
    }
    bksi_exchange_append(session, index, inputs);
    bksi_mesh_word(session, index);
    return true;
}

/// Read plain inputs: those already known are read over, those from `limit` on left. A message
/// without new ones is not looked at.
static bool read_inputs(bks_session *session, bksi_bit_reader *reader, uint32_t index,
                        bks_tick first, uint32_t count, bks_tick limit)
{
    const session_peer *peer = &session->peers[index];
    size_t bytes = session->layout.bytes;
    uint8_t inputs[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bks_tick known = bksi_heads_of(session, index);
    if (!brings_news(session, index, first, first + (bks_tick)count)) {
        return true;
    }
    if (!holds_before(session, index, first)) {
        return false;
    }
    inputs_before(session, index, first, inputs);
    for (bks_tick tick = first; tick < first + (bks_tick)count; tick++) {
        for (uint32_t i = 0; i < peer->player_count; i++) {
            bksi_codec_read(reader, &session->layout, inputs + i * bytes, inputs + i * bytes);
        }
        if (reader->failed) {
            return false;
        }
        if (tick >= known && !take_tick(session, index, tick, limit, inputs)) {
            break;
        }
        if (tick >= known && bksi_mutated(BKSI_MUTANT_LEARNT)) {
            bksi_input_stream_learn(&session->streams[peer->first_player], inputs);
        }
    }
    return true;
}

/// The same of inputs that are told by what was learnt of the players.
static bool hear_inputs(bks_session *session, bksi_range_decoder *decoder, uint32_t index,
                        bks_tick first, uint32_t count, bks_tick limit)
{
    const session_peer *peer = &session->peers[index];
    uint8_t inputs[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bks_tick known = bksi_heads_of(session, index);
    if (!brings_news(session, index, first, first + (bks_tick)count)) {
        return true;
    }
    for (bks_tick tick = first; tick < first + (bks_tick)count; tick++) {
        for (uint32_t i = 0; i < peer->player_count && !decoder->failed; i++) {
            bksi_input_stream *stream = &session->streams[peer->first_player + i];
            if (tick < known) {
                bksi_input_stream_skip(stream, tick, decoder);
            } else {
                bksi_input_stream_decode(stream, decoder, inputs + i * session->layout.bytes);
            }
        }
        if (decoder->failed) {
            return false;
        }
        if (tick >= known && !take_tick(session, index, tick, limit, inputs)) {
            return true;
        }
    }
    return bksi_range_decoder_is_done(decoder);
}

/// The part about the mesh, if there is one.
/// @param view  receives the sender's view
static bool read_mesh_part(bks_session *session, uint32_t index, bksi_range_decoder *decoder,
                           const bksi_input_head *head, uint32_t *view)
{
    uint8_t scratch[BKSI_MESH_PART_BYTES_MAX];
    bksi_bit_reader part = bksi_bit_reader_over(scratch, sizeof(scratch));
    if (head->has_mesh) {
        part.count_bits = bksi_input_bits_read(decoder, scratch, sizeof(scratch));
        if (part.count_bits == SIZE_MAX) {
            return false;
        }
    }
    return bksi_mesh_read_part(session, index, head, &part, view) &&
           (!head->has_mesh || part.at_bits == part.count_bits);
}

/// The inputs of a message, told or plain.
static bool take_inputs(bks_session *session, uint32_t index, bksi_range_decoder *decoder,
                        const bksi_input_head *head)
{
    bks_tick limit = (session->frozen >> index & 1) != 0 ? 0 : INT32_MAX;
    if (head->count == 0) {
        return true;
    }
    if (bksi_range_decode(decoder, BKSI_INPUT_TOLD) == 0) {
        return hear_inputs(session, decoder, index, head->first, head->count, limit);
    }
    uint8_t scratch[BKSI_BODY_BYTES_MAX];
    bksi_bit_reader reader = bksi_bit_reader_over(scratch, sizeof(scratch));
    reader.count_bits = bksi_input_bits_read(decoder, scratch, sizeof(scratch));
    return reader.count_bits != SIZE_MAX &&
           read_inputs(session, &reader, index, head->first, head->count, limit);
}

bool bksi_exchange_receive(bks_session *session, uint32_t peer_index, const uint8_t *body,
                           size_t count)
{
    session_peer *peer = &session->peers[peer_index];
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, body, count);
    bksi_input_head head;
    uint32_t view = 0;
    if (!bksi_input_head_read(&decoder, bksi_heads_of(session, peer_index), &head) ||
        head.need > bksi_heads_own(session) ||
        !read_mesh_part(session, peer_index, &decoder, &head, &view)) {
        return false;
    }
    // What comes after a freeze has waited for us, nobody knows how long.
    if (head.has_echo && head.hold != BKSI_HOLD_NONE && !bksi_clock_is_late(session)) {
        bksi_link_echoed(&peer->link, head.echo, head.hold * (uint64_t)BKSI_HOLD_UNIT_NS,
                         session->now_ns);
    }
    if (head.has_echo) {
        peer->hears_us = head.hold != BKSI_HOLD_NONE;
        peer->echo_ns = session->now_ns;
    } else if (session->now_ns - peer->echo_ns > ECHO_PATIENCE_NS) {
        peer->hears_us = false; // who never heard us has nothing to echo
    }
    if (head.need > peer->need) {
        peer->need = head.need;
    }
    bksi_pace_head(session, peer_index, bksi_heads_of(session, peer_index), head.head);
    bksi_pace_heard(session, peer_index, head.head - head.need);
    if (!take_inputs(session, peer_index, &decoder, &head)) {
        return false;
    }
    if (head.hash_kind != BKSI_HASH_NONE && bksi_views_agree_on(session, view, head.hash_tick)) {
        remote_hash hash = {head.hash_tick, head.hash_kind, head.state_hash, head.inputs_hash};
        bksi_checking_heard(session, peer_index, &hash);
    }
    peer->packets_received++;
    return true;
}

/// Whether to go on where the last packet ended. When the first of them should be acknowledged,
/// what has been lost since is seen, and all begins again.
static bool goes_on(const bks_session *session, const session_peer *peer)
{
    uint64_t trip_ns = (uint64_t)peer->link.round_trip_ns + GO_ON_NS;
    return peer->told_to > peer->need && session->now_ns <= peer->began_ns + trip_ns;
}

/// First tick the peer needs. One that never acknowledges gets no older ones than there are. What
/// does not fit one packet goes in several, one after the other.
static bks_tick first_to_send(const bks_session *session, session_peer *peer, bks_tick head)
{
    bks_tick oldest = head - (bks_tick)session->engine.config.capacity_ticks + 1;
    bks_tick first = peer->told_to;
    if (!goes_on(session, peer)) {
        first = peer->need;
        peer->began_ns = session->now_ns;
    }
    return first > oldest ? first : oldest;
}

/// A confirmed input as a peer is told it.
static const uint8_t *input_for(const bks_session *session, uint32_t to_peer, uint32_t player,
                                bks_tick tick, uint8_t *scratch)
{
    const uint8_t *truth = bksi_rollback_known(&session->engine, player, tick);
    const bksi_equivocation *other = session->equivocation;
    return other == NULL ? truth
                         : other->tell(other->context, to_peer, player, tick, truth, scratch);
}

/// Write inputs from `first` to before `until`, oldest first, as many as fit.
/// @return ticks written
static uint32_t write_inputs(bks_session *session, bksi_bit_writer *writer, uint32_t index,
                             uint32_t to_peer, bks_tick first, bks_tick until)
{
    const session_peer *peer = &session->peers[index];
    uint32_t count = 0;
    for (bks_tick tick = first; tick < until; tick++) {
        bksi_bit_writer before = *writer;
        for (uint32_t i = 0; i < peer->player_count; i++) {
            uint8_t scratch[2][BKSI_INPUT_BYTES_MAX];
            uint32_t player = peer->first_player + i;
            bksi_codec_write(writer, &session->layout,
                             input_for(session, to_peer, player, tick - 1, scratch[0]),
                             input_for(session, to_peer, player, tick, scratch[1]));
        }
        if (writer->failed) {
            *writer = before;
            break;
        }
        count++;
    }
    return count;
}

static void fill_hash(const bks_session *session, session_peer *peer, bksi_input_head *head)
{
    const bksi_settled *settled = &session->engine.settled;
    if (settled->published == BKS_TICK_NONE || settled->published > head->need) {
        return;
    }
    const bksi_tick_hash *own = bksi_settled_newest(settled);
    if (own == NULL) {
        return;
    }
    head->hash_kind = peer->full_hash_countdown == 0 ? BKSI_HASH_FULL : BKSI_HASH_SHORT;
    head->hash_tick = own->tick;
    bool is_full = head->hash_kind == BKSI_HASH_FULL;
    head->state_hash = is_full ? own->state : bksi_checking_short(own);
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

void bksi_exchange_write_run(bks_session *session, bksi_bit_writer *writer, uint32_t peer,
                             bks_tick first, bks_tick until)
{
    uint8_t scratch[BKSI_BODY_BYTES_MAX];
    size_t used_bits = writer->at_bits + RUN_HEAD_BITS;
    size_t left_bits = used_bits < writer->capacity_bits ? writer->capacity_bits - used_bits : 0;
    bksi_bit_writer inputs = bksi_bit_writer_over(scratch, left_bits / 8);
    bool is_held = first < until && holds_before(session, peer, first);
    uint32_t count =
        is_held ? write_inputs(session, &inputs, peer, BKS_PEERS_MAX, first, until) : 0;
    bksi_write_bits(writer, (uint32_t)first, 32);
    bksi_write_bits(writer, count, RUN_COUNT_BITS);
    bksi_write_bits(writer, inputs.at_bits, RUN_LENGTH_BITS);
    copy_bits(writer, scratch, inputs.at_bits);
}

bool bksi_exchange_read_run(bks_session *session, bksi_bit_reader *reader, uint32_t peer,
                            bks_tick limit)
{
    uint64_t first = bksi_read_bits(reader, 32);
    uint32_t count = (uint32_t)bksi_read_bits(reader, RUN_COUNT_BITS);
    size_t bits = (size_t)bksi_read_bits(reader, RUN_LENGTH_BITS);
    if (reader->failed || first > INT32_MAX / 2 || bits > reader->count_bits - reader->at_bits) {
        return false;
    }
    bksi_bit_reader run = *reader;
    run.count_bits = run.at_bits + bits;
    reader->at_bits += bits;
    return read_inputs(session, &run, peer, (bks_tick)first, count, limit);
}

/// Whether our inputs from `first` on can be told by what was learnt, and that pays.
static bool tells(const bks_session *session, uint32_t to_peer, bks_tick first, bks_tick until)
{
    const session_peer *own = &session->peers[session->self];
    const bksi_equivocation *other = session->equivocation;
    if (other != NULL && (other->to_peers >> to_peer & 1) != 0) { // it learns from other inputs
        return false;
    }
    uint64_t bits = 0;
    uint64_t plain_bits = 0;
    for (uint32_t i = 0; i < own->player_count; i++) {
        uint32_t plain = 0;
        bits +=
            bksi_input_stream_bits(&session->streams[own->first_player + i], first, until, &plain);
        plain_bits += plain;
    }
    return bits <= TOLD_BITS_MAX && bits < plain_bits;
}

static void tell_inputs(const bks_session *session, bksi_range_encoder *encoder, bks_tick first,
                        bks_tick until)
{
    const session_peer *own = &session->peers[session->self];
    bksi_range_encode(encoder, BKSI_INPUT_TOLD, 0);
    for (bks_tick tick = first; tick < until; tick++) {
        for (uint32_t i = 0; i < own->player_count; i++) {
            bksi_input_stream_encode(&session->streams[own->first_player + i], tick, encoder);
        }
    }
}

static void fill_echo(const bks_session *session, session_peer *peer, bksi_input_head *head)
{
    if (peer->echo_countdown == 0) {
        head->has_echo = bksi_link_echo(&peer->link, session->now_ns, BKSI_HOLD_UNIT_NS,
                                        &head->echo, &head->hold);
    }
    peer->echo_countdown = peer->echo_countdown == 0 ? ECHO_EVERY - 1 : peer->echo_countdown - 1;
}

static void write_mesh_part(const bks_session *session, uint32_t index, bksi_range_encoder *encoder,
                            const bksi_input_head *head, const bksi_mesh_part *part)
{
    uint8_t scratch[BKSI_MESH_PART_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(scratch, sizeof(scratch));
    bksi_mesh_write_part(session, index, head->head, part, &writer);
    bksi_input_bits_write(encoder, scratch, writer.at_bits);
}

size_t bksi_exchange_write(bks_session *session, uint32_t peer_index, uint8_t *body)
{
    session_peer *peer = &session->peers[peer_index];
    bksi_input_head head = {.head = bksi_heads_own(session),
                            .need = bksi_heads_of(session, peer_index),
                            .hash_tick = BKS_TICK_NONE};
    if (bksi_mutated(BKSI_MUTANT_ACK)) {
        head.need++;
    }
    head.first = first_to_send(session, peer, head.head);
    head.count = (uint32_t)(head.head - head.first);
    uint8_t scratch[PLAIN_BYTES_MAX];
    bksi_bit_writer plain = bksi_bit_writer_over(scratch, sizeof(scratch));
    bool is_told = tells(session, peer_index, head.first, head.head);
    if (!is_told) {
        head.count =
            write_inputs(session, &plain, session->self, peer_index, head.first, head.head);
    }
    bool is_whole = head.first + (bks_tick)head.count == head.head;
    peer->told_to = is_whole ? 0 : head.first + (bks_tick)head.count;
    fill_echo(session, peer, &head);
    fill_hash(session, peer, &head);
    bksi_mesh_part part;
    head.has_mesh = bksi_mesh_fill_part(session, peer_index, &part);
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, body, BKSI_BODY_BYTES_MAX);
    bksi_input_head_write(&encoder, &head);
    if (head.has_mesh) {
        write_mesh_part(session, peer_index, &encoder, &head, &part);
    }
    size_t before_bytes = encoder.count + encoder.cache_size;
    if (is_told && head.count > 0) {
        tell_inputs(session, &encoder, head.first, head.head);
    } else if (head.count > 0) {
        bksi_range_encode(&encoder, BKSI_INPUT_TOLD, 1);
        bksi_input_bits_write(&encoder, scratch, plain.at_bits);
    }
    size_t bytes = bksi_range_encoder_finish(&encoder);
    BKS_ASSERT(!encoder.failed);
    bksi_pace_sent(session, peer_index, head.head - head.need);
    session->stats.input_bytes_sent += bytes > before_bytes ? bytes - before_bytes : 0;
    return bytes;
}
