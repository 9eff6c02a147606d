// SPDX-License-Identifier: MIT

// Runs of one peer's inputs, tick after tick, read from and written to messages.

#include "session/inputs/runs.h"

#include <string.h>

#include "base/mutant.h"
#include "input/codec.h"
#include "session/inputs/blobs.h"
#include "wire/carried.h"
#include "wire/input_message.h"
#include "wire/view_messages.h"

/// Largest number of bits of inputs coded by the model, so that they fit a message together with
/// the fields before them.
#define CODED_BITS_MAX 3400u
_Static_assert(BKSI_INPUT_HEAD_BYTES_MAX + CODED_BITS_MAX / 8 + 16 <= BKSI_MESSAGE_BYTES_MAX,
               "a message has room for coded inputs");
_Static_assert(CODED_BITS_MAX / 8 <= BKSI_CODED_BLOB_BYTES_MAX &&
                   CODED_BITS_MAX / (40 + 8) <= BKSI_CODED_BLOBS_MAX,
               "a reader has room for the blobs of a message");

/// Widths of the fields of a run of inputs in messages other than INPUT. A run has a first tick, a
/// number of ticks, a number of bits, and inputs.
#define RUN_COUNT_BITS  12u
#define RUN_LENGTH_BITS 14u
#define RUN_HEAD_BITS   (32u + RUN_COUNT_BITS + RUN_LENGTH_BITS)
_Static_assert(BKSI_VIEW_HEAD_BITS_MAX + (BKS_PEERS_MAX - 2) * RUN_HEAD_BITS + BKSI_TICK_BITS_MAX +
                       7 <=
                   BKSI_MESSAGE_BYTES_MAX * 8,
               "a VIEW has room for a tick of one leaver");

bks_status bksi_runs_create(session_runs *runs, const bksi_rollback *engine, uint32_t locals)
{
    const bksi_rollback_config *config = &engine->config;
    bks_status status = BKS_OK;
    runs->layout = config->layout;
    for (uint32_t i = 0; status == BKS_OK && i < config->players_max; i++) {
        status = bksi_input_stream_create(&runs->streams[i], config->layout, &config->allocator);
    }
    if (status == BKS_OK && bksi_rollback_has_commands(engine)) {
        status = bksi_packed_create(&runs->packed, config->players_max, locals,
                                    config->capacity_ticks, &config->allocator);
    }
    return status;
}

void bksi_runs_destroy(session_runs *runs, const bks_allocator *allocator)
{
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        bksi_input_stream_destroy(&runs->streams[i], allocator);
    }
    bksi_packed_destroy(&runs->packed, allocator);
}

void bksi_runs_begin(session_runs *runs, bks_tick first)
{
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        bksi_input_stream_begin(&runs->streams[i], first);
    }
}

void bksi_runs_append(session_runs *runs, bksi_rollback *engine, const session_peer *peer,
                      const uint8_t *inputs, const bksi_blob *blobs)
{
    for (uint32_t i = 0; i < peer->player_count; i++) {
        const uint8_t *packed = inputs + (size_t)i * runs->layout->bytes;
        bksi_rollback_append(engine, peer->first_player + i, packed,
                             blobs != NULL ? &blobs[i] : NULL);
        bksi_input_stream_learn(&runs->streams[peer->first_player + i], packed);
    }
}

void bksi_runs_sampled(session_runs *runs, const session_common *common)
{
    const session_peer *own = &common->seats.peers[common->seats.self];
    bks_tick newest = bksi_common_own_head(common) - 1;
    for (uint32_t i = 0; i < own->player_count; i++) {
        uint32_t player = own->first_player + i;
        bksi_input_stream_learn(&runs->streams[player],
                                bksi_rollback_known(&common->engine, player, newest));
    }
    if (bksi_rollback_has_commands(&common->engine) && bksi_seats_others(&common->seats) != 0) {
        bksi_packed_sampled(&runs->packed, &common->engine, own, newest, common->equivocation);
    }
}

/// Get the inputs of the tick before `first`, which the inputs from `first` on are coded against.
static void inputs_before(const session_runs *runs, const bksi_rollback *engine,
                          const session_peer *peer, bks_tick first, uint8_t *inputs)
{
    size_t bytes = runs->layout->bytes;
    for (uint32_t i = 0; i < peer->player_count; i++) {
        memcpy(inputs + i * bytes, bksi_rollback_known(engine, peer->first_player + i, first - 1),
               bytes);
    }
}

/// Return true if the timelines still hold the inputs of the tick before `first`, against which
/// later ones are coded.
static bool holds_before(const bksi_rollback *engine, const session_peer *peer, bks_tick first)
{
    return bksi_rollback_holds(engine, peer->first_player, first - 1);
}

/// Return true if a message with the ticks from `first` to before `until` has the next unknown
/// inputs.
static bool brings_news(session_runs *runs, bksi_rollback *engine, const session_peer *peer,
                        bks_tick first, bks_tick until)
{
    bks_tick known = bksi_rollback_head(engine, peer->first_player);
    bool is_again = bksi_mutated(BKSI_MUTANT_TWICE) && until == known;
    bool is_shifted = bksi_mutated(BKSI_MUTANT_SHIFT) && first < known && until > known;
    if ((is_again || is_shifted) && known > bksi_rollback_first(engine)) {
        uint8_t again[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
        inputs_before(runs, engine, peer, known, again);
        bksi_runs_append(runs, engine, peer, again, NULL);
    }
    return first <= known && until > known;
}

/// Append one tick's inputs from a message to the timelines.
/// @param blobs      commands, one entry for each player; NULL in a game without commands
/// @param is_agreed  true: other members have the tick, so we need it (see bksi_blobs_open())
/// @return false if the tick must not have these commands
static bool take_tick(session_runs *runs, bksi_rollback *engine, const session_peer *peer,
                      const uint8_t *inputs, bksi_blob *blobs, bool is_agreed)
{
    uint8_t bytes[BKSI_TICK_BLOB_BYTES_MAX];
    const bool ignores_dead = bksi_mutated(BKSI_MUTANT_LANE_DEAD) && is_agreed;
    if (blobs != NULL && (ignores_dead || !bksi_lane_take(&runs->lane, peer, blobs))) {
        if (!is_agreed && !bksi_mutated(BKSI_MUTANT_LANE_EARLY)) {
            bksi_packed_break(&runs->packed, peer);
            return false;
        }
        blobs = NULL;
    }
    if (blobs != NULL &&
        !bksi_blobs_open(&runs->packed, engine, runs->layout, peer, blobs, is_agreed, bytes)) {
        return false;
    }
    bksi_runs_append(runs, engine, peer, inputs, blobs);
    return true;
}

/// Read one tick's inputs in the plain codec (input/codec.h). The reader fails if the bits are
/// malformed.
/// @param inputs  inputs of the previous tick; receives those of the tick
/// @param blobs   receives commands, one entry for each player; NULL in a game without commands
/// @param bytes   receives the bytes of the commands
static void read_tick(const session_runs *runs, bksi_bit_reader *reader, const session_peer *peer,
                      uint8_t *inputs, bksi_blob *blobs, session_plain_blobs *bytes)
{
    bksi_blobs_begin(bytes);
    for (uint32_t i = 0; i < peer->player_count; i++) {
        uint8_t *input = inputs + i * runs->layout->bytes;
        bksi_codec_read(reader, runs->layout, input, input);
        if (blobs != NULL) {
            blobs[i] = bksi_blobs_read(reader, bytes);
        }
    }
}

/// Read the inputs of several ticks in the plain codec (input/codec.h), and append them to the
/// timelines.
/// @param inputs     inputs of the previous tick, which the first tick's inputs are coded against
/// @param is_agreed  as for take_tick()
static bool read_ticks(session_runs *runs, bksi_rollback *engine, bksi_bit_reader *reader,
                       const session_peer *peer, bks_tick first, uint32_t count, bks_tick limit,
                       uint8_t *inputs, bool is_agreed)
{
    bksi_blob tick_blobs[BKS_PLAYERS_MAX];
    session_plain_blobs bytes;
    bksi_blob *blobs = bksi_rollback_has_commands(engine) ? tick_blobs : NULL;
    bks_tick known = bksi_rollback_head(engine, peer->first_player);
    for (bks_tick tick = first; tick < first + (bks_tick)count; tick++) {
        read_tick(runs, reader, peer, inputs, blobs, &bytes);
        if (reader->failed) {
            return false;
        }
        if (tick < known) {
            continue;
        }
        if (tick >= limit || !bksi_rollback_has_room(engine, tick)) {
            break;
        }
        if (!take_tick(runs, engine, peer, inputs, blobs, is_agreed)) {
            return false;
        }
        if (bksi_mutated(BKSI_MUTANT_LEARNT)) {
            bksi_input_stream_learn(&runs->streams[peer->first_player], inputs);
        }
    }
    return true;
}

bool bksi_runs_read_inputs(session_runs *runs, bksi_rollback *engine, bksi_bit_reader *reader,
                           const session_peer *peer, bks_tick first, uint32_t count, bks_tick limit)
{
    uint8_t inputs[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    if (!brings_news(runs, engine, peer, first, first + (bks_tick)count)) {
        return true;
    }
    if (!holds_before(engine, peer, first)) {
        return false;
    }
    inputs_before(runs, engine, peer, first, inputs);
    return read_ticks(runs, engine, reader, peer, first, count, limit, inputs, false);
}

/// Get the number of ticks that are coded in one go for each player: all for a single player, one
/// if several players take turns.
static bks_tick ticks_a_turn(const session_peer *peer, bks_tick first, bks_tick until)
{
    return peer->player_count == 1 ? until - first : 1;
}

/// Skip those ticks of a message for which we already know the peer's inputs.
static void skip_known(const session_runs *runs, bksi_range_decoder *decoder,
                       const session_peer *peer, bks_tick first, bks_tick known)
{
    const bks_tick ticks = ticks_a_turn(peer, first, known);
    for (bks_tick tick = first; tick < known; tick += ticks) {
        for (uint32_t i = 0; i < peer->player_count; i++) {
            bksi_input_stream_skip(&runs->streams[peer->first_player + i], tick, tick + ticks,
                                   decoder);
        }
    }
}

bool bksi_runs_decode(session_runs *runs, bksi_rollback *engine, bksi_range_decoder *decoder,
                      const session_peer *peer, bks_tick first, uint32_t count, bks_tick limit)
{
    uint8_t inputs[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bks_tick known = bksi_rollback_head(engine, peer->first_player);
    if (!brings_news(runs, engine, peer, first, first + (bks_tick)count)) {
        return true;
    }
    const uint32_t players = peer->player_count;
    bksi_blob tick_blobs[BKS_PLAYERS_MAX];
    session_coded_blobs coded;
    bksi_blob *blobs = bksi_rollback_has_commands(engine) ? tick_blobs : NULL;
    if (blobs != NULL && !bksi_blobs_decode(decoder, (uint64_t)count * players, &coded)) {
        return false;
    }
    skip_known(runs, decoder, peer, first, known);
    for (bks_tick tick = known; tick < first + (bks_tick)count; tick++) {
        for (uint32_t i = 0; i < players && !decoder->failed; i++) {
            bksi_input_stream_decode(&runs->streams[peer->first_player + i], decoder,
                                     inputs + i * runs->layout->bytes);
        }
        if (decoder->failed) {
            return false;
        }
        if (tick >= limit || !bksi_rollback_has_room(engine, tick)) {
            return true;
        }
        if (blobs != NULL) {
            bksi_blobs_take(&coded, (uint32_t)(tick - first) * players, players, blobs);
        }
        if (!take_tick(runs, engine, peer, inputs, blobs, false)) {
            return false;
        }
    }
    return bksi_range_decoder_is_done(decoder);
}

/// Get a confirmed input as it is sent to a peer.
static const uint8_t *input_for(const session_common *common, uint32_t to_peer, uint32_t player,
                                bks_tick tick, uint8_t *scratch)
{
    const uint8_t *truth = bksi_rollback_known(&common->engine, player, tick);
    const bksi_equivocation *other = common->equivocation;
    return other == NULL ? truth
                         : other->input(other->context, to_peer, player, tick, truth, scratch);
}

/// Write the inputs of several ticks in the plain codec (input/codec.h).
/// @param packed  our own packed commands; NULL: write commands plain, and code the first tick's
///                inputs against neutral inputs
static uint32_t write_ticks(const session_common *common, bksi_bit_writer *writer, uint32_t index,
                            uint32_t to_peer, bks_tick first, bks_tick until,
                            const session_packed *packed)
{
    const session_peer *peer = &common->seats.peers[index];
    uint32_t count = 0;
    for (bks_tick tick = first; tick < until; tick++) {
        bksi_bit_writer before = *writer;
        for (uint32_t i = 0; i < peer->player_count; i++) {
            uint8_t scratch[2][BKSI_INPUT_BYTES_MAX];
            uint8_t bytes[BKSI_PACKED_BLOB_BYTES_MAX];
            uint32_t player = peer->first_player + i;
            const uint8_t *against = packed == NULL && tick == first
                                         ? common->layout.neutral
                                         : input_for(common, to_peer, player, tick - 1, scratch[0]);
            bksi_codec_write(writer, &common->layout, against,
                             input_for(common, to_peer, player, tick, scratch[1]));
            if (bksi_rollback_has_commands(&common->engine)) {
                const bksi_blob blob = packed != NULL
                                           ? bksi_blobs_for(packed, common, to_peer, i, tick, bytes)
                                           : bksi_rollback_blob(&common->engine, player, tick);
                bksi_blobs_write(writer, &blob);
            }
        }
        if (writer->failed) {
            *writer = before;
            break;
        }
        count++;
    }
    return count;
}

uint32_t bksi_runs_write_inputs(const session_runs *runs, const session_common *common,
                                bksi_bit_writer *writer, uint32_t to_peer, bks_tick first,
                                bks_tick until)
{
    return write_ticks(common, writer, common->seats.self, to_peer, first, until, &runs->packed);
}

/// Return a writer for the inputs of a run. They follow the head of the run, and end before the bit
/// `end_bits` of the message.
static bksi_bit_writer inputs_up_to(const bksi_bit_writer *message, size_t end_bits,
                                    uint8_t *scratch)
{
    const size_t used_bits = message->at_bits + RUN_HEAD_BITS;
    return bksi_bit_writer_over(scratch, used_bits < end_bits ? (end_bits - used_bits) / 8 : 0);
}

/// Write a run of a peer's inputs from `first` to before `until`, or as many as fit the message.
/// @param after_bits  bits that must stay free after the run
static void write_run(const session_common *common, bksi_bit_writer *writer, uint32_t peer,
                      bks_tick first, bks_tick until, size_t after_bits)
{
    uint8_t scratch[BKSI_MESSAGE_BYTES_MAX];
    bksi_bit_writer inputs = inputs_up_to(writer, writer->capacity_bits - after_bits, scratch);
    bool is_held =
        first < until && holds_before(&common->engine, &common->seats.peers[peer], first);
    uint32_t count =
        is_held ? write_ticks(common, &inputs, peer, BKS_PEERS_MAX, first, until, NULL) : 0;
    bksi_write_bits(writer, (uint32_t)first, 32);
    bksi_write_bits(writer, count, RUN_COUNT_BITS);
    bksi_write_bits(writer, inputs.at_bits, RUN_LENGTH_BITS);
    bksi_copy_bits(writer, scratch, inputs.at_bits);
}

void bksi_runs_write_lacking(const session_runs *runs, const session_common *common,
                             bksi_bit_writer *writer, uint32_t to, uint32_t leavers,
                             const bks_tick *ends)
{
    size_t heads_bits = bksi_peers_count(leavers) * RUN_HEAD_BITS; // of the runs that follow
    EACH_PEER (i, leavers) {
        heads_bits -= RUN_HEAD_BITS;
        write_run(common, writer, i, runs->lacks[to][i], ends[i], heads_bits);
    }
}

void bksi_runs_note_lacking(session_runs *runs, uint32_t peer, uint32_t leaver, bks_tick head)
{
    bks_tick *first = &runs->lacks[peer][leaver];
    *first = head > *first ? head : *first;
}

/// Read a run of a peer's inputs, and append the new ones to the timelines.
/// @param limit  first tick whose inputs are not accepted; 0: none are accepted
/// @return false if the bits are malformed
static bool read_run(session_runs *runs, bksi_rollback *engine, bksi_bit_reader *reader,
                     const session_peer *peer, bks_tick limit)
{
    uint64_t first = bksi_read_bits(reader, 32);
    uint32_t count = (uint32_t)bksi_read_bits(reader, RUN_COUNT_BITS);
    size_t bits = (size_t)bksi_read_bits(reader, RUN_LENGTH_BITS);
    if (reader->failed || first > INT32_MAX - count ||
        bits > reader->count_bits - reader->at_bits) {
        return false;
    }
    bksi_bit_reader run = *reader;
    run.count_bits = run.at_bits + bits;
    reader->at_bits += bits;
    if (!brings_news(runs, engine, peer, (bks_tick)first, (bks_tick)first + (bks_tick)count)) {
        return true;
    }
    uint8_t inputs[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    for (uint32_t i = 0; i < peer->player_count; i++) {
        memcpy(inputs + i * runs->layout->bytes, runs->layout->neutral, runs->layout->bytes);
    }
    return read_ticks(runs, engine, &run, peer, (bks_tick)first, count, limit, inputs, true);
}

bool bksi_runs_read_of(session_runs *runs, bksi_rollback *engine, const session_seats *seats,
                       bksi_bit_reader *reader, uint32_t peers, const bks_tick *limits)
{
    EACH_PEER (i, seats->all & peers) {
        if (!read_run(runs, engine, reader, &seats->peers[i], limits[i])) {
            return false;
        }
    }
    return true;
}

/// Return true if inputs are shorter coded by the model also with their blobs.
static bool pays_with_blobs(const session_runs *runs, const session_common *common, bks_tick first,
                            uint64_t bits, uint64_t plain_bits)
{
    const uint32_t players = common->seats.peers[common->seats.self].player_count;
    uint64_t plain = 0;
    bits += bksi_blobs_bits(&runs->packed, players, first, bksi_common_own_head(common), &plain);
    return bits <= CODED_BITS_MAX && bits < plain_bits + plain;
}

bool bksi_runs_pays_to_encode(session_runs *runs, const session_common *common, uint32_t to_peer,
                              bks_tick first)
{
    const session_peer *own = &common->seats.peers[common->seats.self];
    const bksi_equivocation *other = common->equivocation;
    if (other != NULL && (other->to_peers & PEER_BIT(to_peer)) != 0) { // the peer gets false inputs
        return false;
    }
    uint64_t bits = 0;
    uint64_t plain_bits = 0;
    for (uint32_t i = 0; i < own->player_count; i++) {
        uint32_t plain = 0;
        bits += bksi_input_stream_bits(&runs->streams[own->first_player + i], first, &plain);
        plain_bits += plain;
    }
    return bits <= CODED_BITS_MAX && bits < plain_bits &&
           (!bksi_rollback_has_commands(&common->engine) ||
            pays_with_blobs(runs, common, first, bits, plain_bits));
}

void bksi_runs_encode(const session_runs *runs, const session_common *common,
                      bksi_range_encoder *encoder, bks_tick first, bks_tick until)
{
    const session_peer *own = &common->seats.peers[common->seats.self];
    bksi_range_encode(encoder, BKSI_INPUT_CODED, 0);
    if (bksi_rollback_has_commands(&common->engine)) {
        bksi_blobs_encode(&runs->packed, own->player_count, first, until, encoder);
    }
    const bks_tick ticks = ticks_a_turn(own, first, until);
    for (bks_tick tick = first; tick < until; tick += ticks) {
        for (uint32_t i = 0; i < own->player_count; i++) {
            bksi_input_stream_encode(&runs->streams[own->first_player + i], tick, tick + ticks,
                                     encoder);
        }
    }
}
