// SPDX-License-Identifier: MIT

#include "session/inputs/blobs.h"

#include "base/mutant.h"

/// Bits of a blob's size minus one, with the plain codec.
#define COUNT_BITS (BKSI_BLOB_HEAD_BITS - 2)
_Static_assert(BKSI_TICK_BLOB_BYTES_MAX <= 1u << COUNT_BITS, "the size of each blob fits");

/// Bits of the size minus one of a blob whose bytes travel ahead, with the plain codec.
#define AHEAD_BITS 16u
_Static_assert(AHEAD_BITS - COUNT_BITS <= 8, "one byte has room for the bits that it needs more");
_Static_assert(BKSI_BLOB_BYTES_MAX <= 1u << AHEAD_BITS, "the size of each blob fits");

/// Chances, in 1/65536, that no further blob follows in an INPUT with coded inputs, and that the
/// bytes of a blob are here.
#define NO_MORE 61440u
#define HERE    61440u

/// Orders of the Exp-Golomb codes of a blob's distance from the last one, and of its size.
#define PLACE_ORDER 3u
#define COUNT_ORDER 4u

/// Most bits that code a blob in addition to its bytes: 5 for each of two flags, 23 for the
/// distance between two of 2^14 places, and 13 for the size. A blob whose bytes travel ahead has 29
/// for the size.
#define CODED_HEAD_BITS  46u
#define CODED_AHEAD_BITS 62u
_Static_assert(CODED_AHEAD_BITS <= 8 * BKSI_BLOB_AHEAD_BYTES, "it fits");

// ---- the plain codec ----

bksi_blob bksi_blobs_for(const session_packed *packed, const session_common *common,
                         uint32_t to_peer, uint32_t local, bks_tick tick, uint8_t *bytes)
{
    const bksi_blob blob = bksi_packed_blob(packed, local, tick);
    const bksi_equivocation *other = common->equivocation;
    if (other == NULL || other->blob == NULL || (other->to_peers & PEER_BIT(to_peer)) == 0) {
        return blob;
    }
    const uint32_t player = common->seats.peers[common->seats.self].first_player + local;
    const bksi_blob truth = bksi_rollback_blob(&common->engine, player, tick);
    return other->blob(other->context, player, tick, &truth, &blob, bytes);
}

void bksi_blobs_write(bksi_bit_writer *writer, const bksi_blob *blob)
{
    bksi_write_bits(writer, blob->count > 0, 1);
    if (blob->count > 0) {
        bksi_write_bits(writer, blob->is_ahead, 1);
        bksi_write_bits(writer, blob->count - 1, blob->is_ahead ? AHEAD_BITS : COUNT_BITS);
    }
    if (blob->is_ahead) {
        return;
    }
    for (uint32_t i = 0; i < blob->count; i++) {
        bksi_write_bits(writer, blob->bytes[i], 8);
    }
}

bksi_blob bksi_blobs_read(bksi_bit_reader *reader, session_plain_blobs *blobs)
{
    if (bksi_read_bits(reader, 1) == 0) {
        return (bksi_blob){0};
    }
    const bool is_ahead = bksi_read_bits(reader, 1) != 0;
    const uint32_t count = 1 + (uint32_t)bksi_read_bits(reader, is_ahead ? AHEAD_BITS : COUNT_BITS);
    if (is_ahead) {
        reader->failed |= count > BKSI_BLOB_BYTES_MAX;
        return (bksi_blob){.count = count, .is_ahead = true};
    }
    if (count > sizeof(blobs->bytes) - blobs->count) {
        reader->failed = true;
        return (bksi_blob){0};
    }
    uint8_t *bytes = blobs->bytes + blobs->count;
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)bksi_read_bits(reader, 8);
    }
    blobs->count += count;
    return (bksi_blob){.bytes = bytes, .count = count};
}

// ---- beside inputs that are coded by models ----

uint64_t bksi_blobs_bits(const session_packed *packed, uint32_t players, bks_tick first,
                         bks_tick until, uint64_t *plain_bits)
{
    uint64_t bits = 1;
    *plain_bits = 0;
    for (bks_tick tick = first; tick < until; tick++) {
        for (uint32_t i = 0; i < players; i++) {
            const bksi_blob blob = bksi_packed_blob(packed, i, tick);
            if (blob.is_ahead) {
                bits += CODED_AHEAD_BITS;
                *plain_bits += BKSI_BLOB_HEAD_BITS - COUNT_BITS + AHEAD_BITS;
            } else {
                bits += blob.count > 0 ? CODED_HEAD_BITS + 8 * blob.count : 0;
                *plain_bits += blob.count > 0 ? BKSI_BLOB_HEAD_BITS + 8 * blob.count : 1;
            }
        }
    }
    return bits;
}

void bksi_blobs_encode(const session_packed *packed, uint32_t players, bks_tick first,
                       bks_tick until, bksi_range_encoder *encoder)
{
    uint32_t gap = 0;
    for (bks_tick tick = first; tick < until; tick++) {
        for (uint32_t i = 0; i < players; i++, gap++) {
            const bksi_blob blob = bksi_packed_blob(packed, i, tick);
            if (blob.count == 0) {
                continue;
            }
            bksi_range_encode(encoder, NO_MORE, 1);
            bksi_range_encode_number(encoder, gap, PLACE_ORDER);
            bksi_range_encode(encoder, HERE, blob.is_ahead);
            bksi_range_encode_number(encoder, blob.count - 1, COUNT_ORDER);
            for (uint32_t k = 0; k < blob.count && !blob.is_ahead; k++) {
                bksi_range_encode_bits(encoder, blob.bytes[k], 8);
            }
            gap = UINT32_MAX; // the next place has distance 0
        }
    }
    bksi_range_encode(encoder, NO_MORE, 0);
}

bool bksi_blobs_decode(bksi_range_decoder *decoder, uint64_t places, session_coded_blobs *blobs)
{
    uint64_t place = 0;
    uint32_t used = 0;
    blobs->count = blobs->next = 0;
    while (bksi_range_decode(decoder, NO_MORE) != 0) {
        place += bksi_range_decode_number(decoder, PLACE_ORDER);
        const bool is_ahead = bksi_range_decode(decoder, HERE) != 0;
        const uint64_t count = UINT64_C(1) + bksi_range_decode_number(decoder, COUNT_ORDER);
        const uint64_t most = is_ahead ? BKSI_BLOB_BYTES_MAX : sizeof(blobs->bytes) - used;
        if (decoder->failed || place >= places || blobs->count == BKSI_CODED_BLOBS_MAX ||
            count > most) {
            return false;
        }
        blobs->blobs[blobs->count++] =
            (session_coded_blob){(uint32_t)place++, (uint16_t)used, (uint16_t)count, is_ahead};
        for (uint32_t i = 0; i < count && !is_ahead; i++) {
            blobs->bytes[used++] = (uint8_t)bksi_range_decode_bits(decoder, 8);
        }
    }
    return !decoder->failed;
}

void bksi_blobs_take(session_coded_blobs *coded, uint32_t place, uint32_t players, bksi_blob *blobs)
{
    while (coded->next < coded->count && coded->blobs[coded->next].place < place) {
        coded->next++;
    }
    for (uint32_t i = 0; i < players; i++) {
        const session_coded_blob *blob = &coded->blobs[coded->next];
        blobs[i] = (bksi_blob){0};
        if (coded->next < coded->count && blob->place == place + i) {
            blobs[i] = (bksi_blob){.bytes = blob->is_ahead ? NULL : coded->bytes + blob->at,
                                   .count = blob->count,
                                   .is_ahead = blob->is_ahead};
            coded->next++;
        }
    }
}

// ---- admission ----

/// Return true if the next tick of a peer's players may have these blobs: they keep to the rule of
/// admission, and a message has room for them.
static bool are_admitted(const bksi_rollback *engine, const bksi_layout *layout,
                         const session_peer *peer, const bksi_blob *blobs)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < peer->player_count; i++) {
        if (!bksi_rollback_admits(engine, peer->first_player + i, &blobs[i])) {
            return false;
        }
        bytes += blobs[i].is_ahead ? 1 : blobs[i].count;
    }
    return bytes <= bksi_seats_blob_bytes(layout, peer->player_count);
}

bool bksi_blobs_open(session_packed *packed, const bksi_rollback *engine, const bksi_layout *layout,
                     const session_peer *peer, bksi_blob *blobs, bool is_agreed, uint8_t *bytes)
{
    const uint32_t most = bksi_seats_blob_bytes(layout, peer->player_count);
    if (!is_agreed && !bksi_packed_open(packed, peer, blobs, most, bytes)) {
        return false;
    }
    const bool is_right = are_admitted(engine, layout, peer, blobs);
    if (!is_right && !is_agreed && !bksi_mutated(BKSI_MUTANT_UNCHECKED)) {
        bksi_packed_break(packed, peer);
        return false;
    }
    for (uint32_t i = 0; i < peer->player_count; i++) {
        blobs[i] = is_right ? blobs[i] : (bksi_blob){0};
        if (is_agreed && !blobs[i].is_ahead) {
            bksi_packed_learn(packed, peer->first_player + i, &blobs[i]);
        }
    }
    return true;
}
