// SPDX-License-Identifier: MIT

#include "command_claims.h"

#include "net/bulk.h"
#include "session/inputs/blobs.h"

#define TICKS_MAX        8u
#define PLAIN_BYTES_MAX  300u
#define PACKED_BYTES_MAX (PLAIN_BYTES_MAX + BKSI_PACKED_EXTRA_BYTES)

/// Commands of the lane, each as long.
#define LANE_COMMAND_BYTES 10u

/// Most commands of a made-up piece of a lane, and most bytes.
#define LANE_PIECE_COMMANDS 16u
#define LANE_PIECE_BYTES    (LANE_PIECE_COMMANDS * (LANE_COMMAND_BYTES + 2))

/// Return how many bytes to cut off the end of a body: mostly none.
static size_t cut_short(uint32_t (*take)(void), size_t count)
{
    const uint32_t byte = take();
    return byte < 224 || count == 0 ? count : count - take() % count;
}

/// Draw bytes of a sequence of commands. One in eight lengths is wrong.
/// @param bytes  room for PLAIN_BYTES_MAX
/// @return number of bytes, at least 1
static uint32_t take_sequence(uint32_t (*take)(void), uint8_t *bytes)
{
    uint32_t count = 0;
    const uint32_t commands = 1 + take() % 4;
    for (uint32_t i = 0; i < commands; i++) {
        const uint32_t size = 1 + take() % 32;
        const uint32_t wrong = take();
        const uint32_t length = wrong < 224 ? size : wrong < 240 ? wrong % 4 : wrong * 256;
        bytes[count++] = (uint8_t)length;
        bytes[count++] = (uint8_t)(length >> 8);
        for (uint32_t k = 0; k < size; k++) {
            bytes[count++] = (uint8_t)(i + k);
        }
    }
    return take() < 224 ? count : 1 + take() % count;
}

/// Draw the blob of the lane of a tick: whole commands, any size, or the largest.
static bksi_blob take_ahead(uint32_t (*take)(void))
{
    const uint32_t byte = take();
    bksi_blob blob = {.is_ahead = true, .count = (LANE_COMMAND_BYTES + 2) * (1 + byte % 16)};
    blob.count = byte < 192 ? blob.count : byte < 250 ? 1 + take() * 256 : BKSI_BLOB_BYTES_MAX;
    return blob;
}

/// Draw a blob as an INPUT carries it.
/// @param packer  what the receiver has learnt
/// @param bytes   room for PACKED_BYTES_MAX
static bksi_blob take_blob(uint32_t (*take)(void), bksi_command_packer *packer, uint8_t *bytes)
{
    const uint32_t kind = take();
    if (kind < 64) {
        return (bksi_blob){0};
    }
    if (kind < 112) {
        return take_ahead(take);
    }
    bksi_blob blob = {.bytes = bytes};
    if (kind < 128) { // bytes that no packer wrote
        blob.count = 1 + take() % 24;
        for (uint32_t i = 0; i < blob.count; i++) {
            bytes[i] = (uint8_t)take();
        }
        return blob;
    }
    uint8_t plain[PLAIN_BYTES_MAX];
    const bksi_blob sequence = {.bytes = plain, .count = take_sequence(take, plain)};
    blob.count = bksi_command_packer_pack(packer, &sequence, bytes);
    if (kind > 248) {
        bytes[take() % blob.count] ^= (uint8_t)(1 + take() % 255);
    }
    return blob;
}

/// Write the blobs as beside inputs that a model has coded. Missing bytes at the end stand for the
/// inputs that the model expects.
static void encode_blobs(bksi_range_encoder *encoder, const bksi_blob *blobs, uint32_t ticks)
{
    const uint32_t no_more = 61440;
    uint32_t gap = 0;
    for (uint32_t i = 0; i < ticks; i++, gap++) {
        if (blobs[i].count == 0) {
            continue;
        }
        bksi_range_encode(encoder, no_more, 1);
        bksi_range_encode_number(encoder, gap, 3);
        bksi_range_encode(encoder, no_more, blobs[i].is_ahead);
        bksi_range_encode_number(encoder, blobs[i].count - 1, 4);
        for (uint32_t k = 0; k < blobs[i].count && !blobs[i].is_ahead; k++) {
            bksi_range_encode_bits(encoder, blobs[i].bytes[k], 8);
        }
        gap = UINT32_MAX; // the next place has distance 0
    }
    bksi_range_encode(encoder, no_more, 0);
}

/// Write the blobs in the plain codec, each behind a bit: the fields are those of the tick before.
static void write_blobs(bksi_range_encoder *encoder, const bksi_blob *blobs, uint32_t ticks)
{
    uint8_t plain[BKSI_BODY_BYTES_MAX];
    bksi_bit_writer writer = bksi_bit_writer_over(plain, sizeof(plain));
    for (uint32_t i = 0; i < ticks; i++) {
        bksi_write_bits(&writer, 0, 1);
        bksi_blobs_write(&writer, &blobs[i]);
    }
    bksi_range_encode(encoder, BKSI_INPUT_CODED, 1);
    bksi_input_bits_write(encoder, plain, writer.at_bits);
}

/// Write an INPUT with made-up commands.
/// @param is_ahead  true if the first tick takes bytes of the lane
static size_t claim_some_commands(const bks_session *to, uint32_t (*take)(void), uint32_t liar,
                                  bool is_ahead, uint8_t *body)
{
    static bksi_command_packer packer; // too large for a stack
    static uint8_t bytes[TICKS_MAX][PACKED_BYTES_MAX];
    const session_common *common = &to->common;
    packer = to->inputs.runs.packed.packers[common->seats.peers[liar].first_player];
    bksi_blob blobs[TICKS_MAX];
    bksi_input_head head = {.hash.tick = BKS_TICK_NONE};
    head.count = 1 + take() % TICKS_MAX;
    uint32_t plain = 0;
    for (uint32_t i = 0; i < head.count; i++) {
        blobs[i] = is_ahead && i == 0 ? take_ahead(take) : take_blob(take, &packer, bytes[i]);
        plain += blobs[i].is_ahead ? 4 : 3 + blobs[i].count;
        if (plain > BKSI_MESSAGE_BYTES_MAX - 2 * BKSI_INPUT_HEAD_BYTES_MAX) {
            head.count = i; // this blob does not fit the message
        }
    }
    const bks_tick before = take() < 224 ? 0 : (bks_tick)(take() % 8);
    head.first = bksi_common_head(common, liar) - before;
    head.first = head.first > 0 ? head.first : 0;
    head.head = head.first + (bks_tick)head.count;
    head.need = bksi_common_head(common, common->seats.self);
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, body, BKSI_BODY_BYTES_MAX);
    bksi_input_head_write(&encoder, &head);
    if (take() < 128) {
        write_blobs(&encoder, blobs, head.count);
    } else {
        bksi_range_encode(&encoder, BKSI_INPUT_CODED, 0);
        encode_blobs(&encoder, blobs, head.count);
    }
    return cut_short(take, bksi_range_encoder_finish(&encoder));
}

/// Draw a place in a stream: mostly the one that the session expects.
static uint32_t take_place(uint32_t (*take)(void), uint64_t expected)
{
    const uint32_t byte = take();
    return (uint32_t)expected + (byte < 192 ? 0 : byte < 224 ? byte : byte * 4096);
}

static bksi_bulk_report take_report(uint32_t (*take)(void), const bksi_bulk_out *out)
{
    bksi_bulk_report report = {.floor = take_place(take, take() < 128 ? out->floor : out->sent)};
    report.window = take() < 192 ? 65536 : take() << 20;
    report.count = take() % 4;
    uint32_t at = 0;
    for (uint32_t i = 0; i < report.count; i++) {
        report.parts[i].begin = at + 1 + take();
        report.parts[i].end = report.parts[i].begin + 1 + take();
        at = report.parts[i].end;
    }
    return report;
}

/// Draw a piece of a lane: mostly of one command, as blobs of the lane name any number of commands.
/// One in sixteen is damaged.
/// @param piece  room for BKSI_PIECE_HEAD_BYTES + LANE_PIECE_BYTES
/// @return its size
static uint32_t take_piece(uint32_t (*take)(void), bksi_burst_packer *packer, uint8_t *piece)
{
    uint8_t bytes[LANE_PIECE_BYTES] = {0};
    const uint32_t byte = take();
    const uint32_t commands = byte < 128 ? 1 : 1 + byte % LANE_PIECE_COMMANDS;
    for (uint32_t i = 0; i < commands; i++) {
        bytes[i * (LANE_COMMAND_BYTES + 2)] = take() < 250 ? LANE_COMMAND_BYTES : 0;
    }
    const bksi_blob plain = {.bytes = bytes, .count = commands * (LANE_COMMAND_BYTES + 2)};
    const uint32_t size = bksi_burst_pack(packer, &plain, piece);
    if (take() >= 240) {
        piece[take() % size] ^= (uint8_t)(1 + take() % 255);
    }
    return size;
}

/// Write a BULK with made-up pieces of a lane.
static size_t claim_a_lane(bksi_burst_packer *packer, const bksi_bulk *lane, uint32_t (*take)(void),
                           uint8_t *body)
{
    uint8_t data[2 * (BKSI_PIECE_HEAD_BYTES + LANE_PIECE_BYTES)] = {0};
    uint32_t count = 0;
    while (count <= sizeof(data) / 2) {
        count += take_piece(take, packer, data + count);
    }
    bksi_bulk_message message = {.is_lane = true, .data = data};
    const uint32_t what = take();
    message.has_data = what < 224;
    message.has_report = what >= 160;
    message.place = take_place(take, lane->in.floor);
    message.bytes = what % 4 == 0 ? take() % count : count;
    if (message.has_report) {
        message.report = take_report(take, &lane->out);
    }
    const bksi_echo none = {.hold = BKSI_HOLD_NONE};
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bksi_echo_write(&writer, &none);
    bksi_bulk_message_write(&writer, &message);
    return cut_short(take, writer.at);
}

/// Get the lane of a session with another peer, or NULL.
static const bksi_bulk *lane_of(const bks_session *to, const bks_session *from)
{
    return bksi_bulk_streams_of(&to->inputs.runs.lane.streams, to->common.seats.self,
                                from->common.seats.self);
}

static void tell_some_commands(bks_session *to, const bks_session *from, uint32_t (*take)(void),
                               bool is_ahead, told_commands *told)
{
    const uint32_t liar = from->common.seats.self;
    const session_peer *peer = &to->common.seats.peers[liar];
    const session_packed *packed = &to->inputs.runs.packed;
    if (to->common.seats.self == liar || peer->player_count == 0) {
        return;
    }
    const bks_tick before = bksi_common_head(&to->common, liar);
    const bool was_broken = bksi_packed_is_broken(packed, peer);
    const bksi_bulk *lane = lane_of(to, from);
    const uint64_t unread = lane != NULL ? bksi_bulk_unread(lane) : 0;
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    const size_t count = claim_some_commands(to, take, liar, is_ahead, body);
    inside_say(to, from->common.now_ns, from, BKSI_PACKET_INPUT, body, count);
    told->ticks += (uint64_t)(bksi_common_head(&to->common, liar) - before);
    told->found += !was_broken && bksi_packed_is_broken(packed, peer);
    told->lane_taken += lane != NULL ? unread - bksi_bulk_unread(lane) : 0;
}

static void tell_a_lane(bks_session *to, const bks_session *from, uint32_t (*take)(void),
                        told_commands *told)
{
    const bksi_bulk *lane = lane_of(to, from);
    if (lane == NULL) {
        return;
    }
    const uint64_t before = lane->in.floor;
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    const size_t count = claim_a_lane(&to->inputs.runs.lane.packer, lane, take, body);
    inside_say(to, from->common.now_ns, from, BKSI_PACKET_BULK, body, count);
    told->lane_bytes += lane->in.floor - before;
}

void tell_made_up_commands(bks_session *to, const bks_session *from, uint32_t (*take)(void),
                           bool is_lane, told_commands *told)
{
    if (is_lane) {
        tell_a_lane(to, from, take, told);
    }
    if (!is_lane || take() < 128) {
        tell_some_commands(to, from, take, is_lane, told);
    }
}

void give_burst(bks_session *session, uint32_t most)
{
    static const uint8_t bytes[BKS_COMMAND_BYTES_MAX] = {7};
    for (uint32_t i = 0; i < 3 && most > 0; i++) {
        (void)(bks_session_command(session, 0, bytes, most - i) == BKS_OK);
    }
}

void claim_a_plain_blob(uint32_t (*take)(void), bksi_bit_writer *writer)
{
    const uint32_t kind = take();
    uint8_t bytes[PLAIN_BYTES_MAX];
    bksi_blob blob = {.bytes = bytes};
    if (kind >= 224) {
        blob = take_ahead(take);
    } else if (kind >= 192) {
        blob.count = take_sequence(take, bytes);
    }
    bksi_blobs_write(writer, &blob);
}
