// SPDX-License-Identifier: MIT

/// @file range_coder.h
/// Arithmetic coder of bits by their probabilities: an expected bit costs next to nothing. Encoder
/// and decoder must use the same probabilities in the same order. See docs/spec/input-codec.md.
///
///     bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
///     bksi_range_encode(&encoder, 60000, 0); // most likely a 0, and it is one
///     size_t count = bksi_range_encoder_finish(&encoder);

#ifndef BKSI_RANGE_CODER_H
#define BKSI_RANGE_CODER_H

#include "base/report.h"

/// Even chance, which costs one bit.
#define BKSI_RANGE_EVEN 32768u

/// Range encoder into a buffer. It is plain data: a copy with its own buffer can be finished while
/// the original continues. Once something did not fit, `failed` stays true.
typedef struct bksi_range_encoder {
    uint8_t *bytes;
    size_t capacity;
    size_t count; ///< number of bytes written so far; a carry may still change them
    uint64_t low; ///< start of the interval; bit 32 is a carry
    uint32_t range;
    bool failed;
} bksi_range_encoder;

void bksi_range_encoder_init(bksi_range_encoder *encoder, uint8_t *bytes, size_t capacity);

/// Least value of `range` when a bit is coded. If coding a bit makes `range` lower, the interval is
/// scaled up by whole bytes.
#define BKSI_RANGE_TOP (UINT32_C(1) << 24)

/// Scale the interval up by whole bytes until `range` is at least BKSI_RANGE_TOP, and write the
/// bytes that this shifts out of `low`.
void bksi_range_encoder_move(bksi_range_encoder *encoder);

/// Encode a bit.
/// @param probability  chance of a 0, in 1/65536: 1..65535
/// @param bit          0 or 1
static inline void bksi_range_encode(bksi_range_encoder *encoder, uint32_t probability,
                                     uint32_t bit)
{
    BKS_ASSERT(probability >= 1 && probability <= UINT16_MAX);
    const uint32_t bound = (encoder->range >> 16) * probability;
    encoder->low += bit != 0 ? bound : 0;
    encoder->range = bit != 0 ? encoder->range - bound : bound;
    if (encoder->range < BKSI_RANGE_TOP) {
        bksi_range_encoder_move(encoder);
    }
}

/// Decision to code: the lowest bit is the bit itself; the number without it is the chance of a 1
/// in 1/65536, even and at least 2.
typedef uint16_t bksi_range_decision;

static inline uint32_t bksi_range_probability(bksi_range_decision decision)
{
    return 65536 - (decision & ~1u);
}

void bksi_range_encode_decisions(bksi_range_encoder *encoder, const bksi_range_decision *decisions,
                                 uint32_t count);

/// Encode the lowest `bits` (0..32) of a number at even chances, the highest first, 8 bits at once.
/// The bytes differ from those of encoding the bits one by one.
void bksi_range_encode_bits(bksi_range_encoder *encoder, uint32_t value, uint32_t bits);

/// Encode a number at even chances, with few bits for a number below about 2^`order` (an Exp-Golomb
/// code). Let m be number + 2^order, and n the number of bits by which m is longer than `order` + 1
/// bits. The code is n 1s and a 0, then all bits of m except the highest.
/// @param order  0..16
void bksi_range_encode_number(bksi_range_encoder *encoder, uint32_t number, uint32_t order);

/// Write the pending bytes. Final bytes that a decoder would read as 0 if missing are left out.
/// Nothing may be encoded afterwards.
/// @return total bytes; meaningless if `failed`
size_t bksi_range_encoder_finish(bksi_range_encoder *encoder);

/// Range decoder. Up to four missing bytes at the end read as 0; beyond that `failed` stays true
/// and bits are 0.
typedef struct bksi_range_decoder {
    const uint8_t *bytes;
    size_t count;
    size_t at; ///< number of bytes read so far, missing ones included
    uint32_t code;
    uint32_t range;
    bool failed;
} bksi_range_decoder;

void bksi_range_decoder_init(bksi_range_decoder *decoder, const uint8_t *bytes, size_t count);

/// Scale the interval up by whole bytes until `range` is at least BKSI_RANGE_TOP, and read as many
/// bytes.
void bksi_range_decoder_move(bksi_range_decoder *decoder);

/// Decode a bit.
/// @param probability  chance of a 0 with which the bit was encoded
/// @return the bit
static inline uint32_t bksi_range_decode(bksi_range_decoder *decoder, uint32_t probability)
{
    BKS_ASSERT(probability >= 1 && probability <= UINT16_MAX);
    if (decoder->failed) {
        return 0;
    }
    const uint32_t bound = (decoder->range >> 16) * probability;
    const uint32_t bit = decoder->code >= bound ? 1 : 0;
    decoder->code -= bit != 0 ? bound : 0;
    decoder->range = bit != 0 ? decoder->range - bound : bound;
    if (decoder->range < BKSI_RANGE_TOP) {
        bksi_range_decoder_move(decoder);
    }
    return bit;
}

/// Decode as many bits as there are decisions, and compare each with its decision. Set
/// decoder->failed if one differs.
void bksi_range_skip_decisions(bksi_range_decoder *decoder, const bksi_range_decision *decisions,
                               uint32_t count);

/// Decode a number that bksi_range_encode_bits() encoded.
/// @param bits  0..32
uint32_t bksi_range_decode_bits(bksi_range_decoder *decoder, uint32_t bits);

/// Decode a number that bksi_range_encode_number() encoded.
/// @param order  order with which the number was encoded
/// @return the number; 0, with decoder->failed set, if it has more than 32 bits
uint32_t bksi_range_decode_number(bksi_range_decoder *decoder, uint32_t order);

/// Return true if decoding needed all bytes of the input. An encoder writes no bytes that decoding
/// does not need.
bool bksi_range_decoder_is_done(const bksi_range_decoder *decoder);

#endif
