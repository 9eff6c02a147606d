// SPDX-License-Identifier: MIT

// The encoder's interval is [low, low + range), and each bit narrows the interval to the bit's
// share. The highest byte of `low` is written once only a carry can change it. A later carry is
// added to the bytes already written.

#include "base/range_coder.h"

#include "base/bits.h"

/// Most bits that are coded at once at even chances.
#define EVEN_BITS_MAX 8u

/// Most bytes that may be missing at the end and are read as 0: the size of `code`.
#define MISSING_MAX 4u

void bksi_range_encoder_init(bksi_range_encoder *encoder, uint8_t *bytes, size_t capacity)
{
    *encoder = (bksi_range_encoder){.bytes = bytes, .capacity = capacity, .range = UINT32_MAX};
}

static void put(bksi_range_encoder *encoder, uint8_t byte)
{
    if (encoder->count == encoder->capacity) {
        encoder->failed = true;
        return;
    }
    encoder->bytes[encoder->count++] = byte;
}

/// Add a carry out of `low`, if any, to the bytes written.
static void carry(bksi_range_encoder *encoder)
{
    bool is_left = encoder->low >> 32 != 0;
    for (size_t at = encoder->count; is_left && at > 0; at--) {
        is_left = ++encoder->bytes[at - 1] == 0;
    }
}

/// Move the highest byte out of `low`.
static void shift(bksi_range_encoder *encoder)
{
    carry(encoder);
    put(encoder, (uint8_t)(encoder->low >> 24));
    encoder->low = (encoder->low & (BKSI_RANGE_TOP - 1)) << 8;
}

void bksi_range_encoder_move(bksi_range_encoder *encoder)
{
    while (encoder->range < BKSI_RANGE_TOP) {
        encoder->range <<= 8;
        shift(encoder);
    }
}

void bksi_range_encode_decisions(bksi_range_encoder *encoder, const bksi_range_decision *decisions,
                                 uint32_t count)
{
    // Local copy of the encoder, which the compiler can hold in registers.
    bksi_range_encoder local = *encoder;
    for (uint32_t i = 0; i < count; i++) {
        bksi_range_encode(&local, bksi_range_probability(decisions[i]), decisions[i] & 1);
    }
    *encoder = local;
}

void bksi_range_encode_bits(bksi_range_encoder *encoder, uint32_t value, uint32_t bits)
{
    BKS_ASSERT(bits <= 32);
    while (bits > 0) {
        const uint32_t part = bits < EVEN_BITS_MAX ? bits : EVEN_BITS_MAX;
        bits -= part;
        encoder->range >>= part;
        encoder->low += (uint64_t)encoder->range * (value >> bits & ((1u << part) - 1));
        bksi_range_encoder_move(encoder);
    }
}

void bksi_range_encode_number(bksi_range_encoder *encoder, uint32_t number, uint32_t order)
{
    const uint64_t shifted = (uint64_t)number + (UINT64_C(1) << order);
    const uint32_t below = bksi_bit_length(shifted) - 1;
    for (uint32_t i = order; i < below; i++) {
        bksi_range_encode(encoder, BKSI_RANGE_EVEN, 1);
    }
    bksi_range_encode(encoder, BKSI_RANGE_EVEN, 0);
    bksi_range_encode_bits(encoder, (uint32_t)shifted, below);
}

size_t bksi_range_encoder_finish(bksi_range_encoder *encoder)
{
    // Every number of the interval decodes to the same bits, so choose a number that ends in zero
    // bytes. `range` is at least BKSI_RANGE_TOP, so the interval contains a number that ends in
    // three zero bytes, and perhaps one that ends in four.
    const uint64_t end = encoder->low + encoder->range;
    const uint64_t four = (encoder->low + UINT32_MAX) & ~(uint64_t)UINT32_MAX;
    const uint64_t three = (encoder->low + BKSI_RANGE_TOP - 1) & ~(uint64_t)(BKSI_RANGE_TOP - 1);
    encoder->low = four < end ? four : three;
    carry(encoder);
    if (four >= end) {
        put(encoder, (uint8_t)(encoder->low >> 24));
    }
    return encoder->count;
}

static uint8_t take(bksi_range_decoder *decoder)
{
    const size_t at = decoder->at++;
    if (at < decoder->count) {
        return decoder->bytes[at];
    }
    if (at - decoder->count >= MISSING_MAX) {
        decoder->failed = true;
    }
    return 0;
}

void bksi_range_decoder_init(bksi_range_decoder *decoder, const uint8_t *bytes, size_t count)
{
    *decoder = (bksi_range_decoder){.bytes = bytes, .count = count, .range = UINT32_MAX};
    for (uint32_t i = 0; i < MISSING_MAX; i++) {
        decoder->code = decoder->code << 8 | take(decoder);
    }
}

void bksi_range_decoder_move(bksi_range_decoder *decoder)
{
    while (decoder->range < BKSI_RANGE_TOP) {
        decoder->range <<= 8;
        decoder->code = decoder->code << 8 | take(decoder);
    }
}

void bksi_range_skip_decisions(bksi_range_decoder *decoder, const bksi_range_decision *decisions,
                               uint32_t count)
{
    // Local copy of the decoder, which the compiler can hold in registers.
    bksi_range_decoder local = *decoder;
    for (uint32_t i = 0; i < count && !local.failed; i++) {
        const uint32_t bit = bksi_range_decode(&local, bksi_range_probability(decisions[i]));
        local.failed |= bit != (decisions[i] & 1u);
    }
    *decoder = local;
}

uint32_t bksi_range_decode_bits(bksi_range_decoder *decoder, uint32_t bits)
{
    BKS_ASSERT(bits <= 32);
    uint32_t value = 0;
    while (bits > 0 && !decoder->failed) {
        const uint32_t part = bits < EVEN_BITS_MAX ? bits : EVEN_BITS_MAX;
        bits -= part;
        decoder->range >>= part;
        // Limit the decoded bits to the largest value, because forged bytes may give a larger one.
        const uint32_t most = (1u << part) - 1;
        const uint32_t share = decoder->code / decoder->range;
        const uint32_t taken = share < most ? share : most;
        decoder->code -= decoder->range * taken;
        value = value << part | taken;
        bksi_range_decoder_move(decoder);
    }
    return decoder->failed ? 0 : value;
}

uint32_t bksi_range_decode_number(bksi_range_decoder *decoder, uint32_t order)
{
    uint32_t below = order;
    while (below <= 32 && bksi_range_decode(decoder, BKSI_RANGE_EVEN) != 0) {
        below++;
    }
    if (below > 32) {
        decoder->failed = true;
        return 0;
    }
    const uint64_t shifted = UINT64_C(1) << below | bksi_range_decode_bits(decoder, below);
    const uint64_t number = shifted - (UINT64_C(1) << order);
    decoder->failed = decoder->failed || number > UINT32_MAX;
    return decoder->failed ? 0 : (uint32_t)number;
}

bool bksi_range_decoder_is_done(const bksi_range_decoder *decoder)
{
    return !decoder->failed && decoder->at + 1 >= decoder->count + MISSING_MAX;
}
