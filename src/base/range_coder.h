// SPDX-License-Identifier: MIT

/// @file range_coder.h
/// Bits by their probabilities, as close to what they are worth as arithmetic allows: a bit that
/// was expected costs next to nothing. Encoder and decoder must be asked with the same
/// probabilities in the same order. See docs/spec/input-codec.md.
///
///     bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
///     bksi_range_encode(&encoder, 60000, 0); // most likely a 0, and it is one
///     size_t count = bksi_range_encoder_finish(&encoder);

#ifndef BKSI_RANGE_CODER_H
#define BKSI_RANGE_CODER_H

#include "base/report.h"

/// An even chance, which costs one bit.
#define BKSI_RANGE_EVEN 32768u

/// Writes bits into a buffer. Plain data: a copy with bytes of its own can be finished while the
/// original continues. Once something did not fit, `failed` stays true.
typedef struct bksi_range_encoder {
    uint8_t *bytes;
    size_t capacity;
    size_t count; ///< bytes written; a carry may still change them
    uint64_t low; ///< of the interval; bit 32 is a carry
    uint32_t range;
    bool failed;
} bksi_range_encoder;

void bksi_range_encoder_init(bksi_range_encoder *encoder, uint8_t *bytes, size_t capacity);

/// Below this `range` the highest byte of the interval is settled.
#define BKSI_RANGE_TOP (UINT32_C(1) << 24)

/// Move on by whole bytes until `range` is BKSI_RANGE_TOP at least.
void bksi_range_encoder_move(bksi_range_encoder *encoder);

/// @param probability  of a 0, in 1/65536: 1..65535
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

/// A bit, 0 or 1, and above it its chance to be a 1, in 1/65536: even, at least 2.
typedef uint16_t bksi_range_decision;

static inline uint32_t bksi_range_probability(bksi_range_decision decision)
{
    return 65536 - (decision & ~1u);
}

void bksi_range_encode_decisions(bksi_range_encoder *encoder, const bksi_range_decision *decisions,
                                 uint32_t count);

/// The lowest `bits` (0..32) of a number, each at an even chance, the highest first: 8 at once,
/// which is not the same as one after the other.
void bksi_range_encode_bits(bksi_range_encoder *encoder, uint32_t value, uint32_t bits);

/// A number that is mostly small, below about 2^`order`: let n be the bits that number + 2^order
/// has beyond `order` + 1; then n 1s and a 0, then the bits below the highest; all at even chances.
/// @param order  0..16
void bksi_range_encode_number(bksi_range_encoder *encoder, uint32_t number, uint32_t order);

/// Write what is pending. The last bytes that a decoder would read as 0 when they are missing are
/// left out. Nothing may be encoded after it.
/// @return bytes in all; when `failed` they are of no use
size_t bksi_range_encoder_finish(bksi_range_encoder *encoder);

/// Reads bits. The four bytes behind the last are read as 0; once more were missing, `failed` stays
/// true and bits are 0.
typedef struct bksi_range_decoder {
    const uint8_t *bytes;
    size_t count;
    size_t at; ///< bytes read, those that were missing included
    uint32_t code;
    uint32_t range;
    bool failed;
} bksi_range_decoder;

void bksi_range_decoder_init(bksi_range_decoder *decoder, const uint8_t *bytes, size_t count);

/// As bksi_range_encoder_move().
void bksi_range_decoder_move(bksi_range_decoder *decoder);

/// @param probability  as it was encoded with
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

/// Read over decisions. If they differ, `failed` is set.
void bksi_range_skip_decisions(bksi_range_decoder *decoder, const bksi_range_decision *decisions,
                               uint32_t count);

/// @param bits  0..32
uint32_t bksi_range_decode_bits(bksi_range_decoder *decoder, uint32_t bits);

/// @param order  as it was encoded with; a number above 32 bits sets decoder->failed and is 0
uint32_t bksi_range_decode_number(bksi_range_decoder *decoder, uint32_t order);

/// Whether all bytes were needed for what was decoded, as an encoder makes them.
bool bksi_range_decoder_is_done(const bksi_range_decoder *decoder);

#endif
