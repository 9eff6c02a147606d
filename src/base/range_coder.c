// SPDX-License-Identifier: MIT

// The interval is [low, low + range), and each bit takes its share of it. What leaves at the top is
// settled but for a carry, so the newest byte and the 0xFF behind it wait until none can come.
// Source: G. N. N. Martin, "Range encoding", 1979; the carry as in I. Pavlov's LZMA, public domain.

#include "base/range_coder.h"

#include "base/assert.h"

#define PROBABILITY_BITS 16u
#define TOP              (UINT32_C(1) << 24)

/// Bytes behind the last that are taken for 0, as many as `code` holds.
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

/// Write the bytes that waited for a carry.
static void settle(bksi_range_encoder *encoder)
{
    const uint8_t carry = (uint8_t)(encoder->low >> 32);
    for (uint32_t i = 0; i < encoder->cache_size; i++) {
        put(encoder, (uint8_t)((i == 0 ? encoder->cache : 0xFFu) + carry));
    }
    encoder->cache_size = 0;
}

/// Take the highest byte out of `low`.
static void shift(bksi_range_encoder *encoder)
{
    const uint8_t top = (uint8_t)(encoder->low >> 24);
    if (top != 0xFF || encoder->low >> 32 != 0 || encoder->cache_size == 0) {
        settle(encoder);
        encoder->cache = top;
    }
    encoder->cache_size++;
    encoder->low = (encoder->low & (TOP - 1)) << 8;
}

void bksi_range_encode(bksi_range_encoder *encoder, uint32_t probability, uint32_t bit)
{
    BKS_ASSERT(probability >= 1 && probability < 1u << PROBABILITY_BITS);
    const uint32_t bound = (encoder->range >> PROBABILITY_BITS) * probability;
    if (bit == 0) {
        encoder->range = bound;
    } else {
        encoder->low += bound;
        encoder->range -= bound;
    }
    while (encoder->range < TOP) {
        encoder->range <<= 8;
        shift(encoder);
    }
}

void bksi_range_encode_bits(bksi_range_encoder *encoder, uint32_t value, uint32_t bits)
{
    BKS_ASSERT(bits <= 32);
    for (uint32_t i = bits; i-- > 0;) {
        bksi_range_encode(encoder, BKSI_RANGE_EVEN, value >> i & 1);
    }
}

size_t bksi_range_encoder_finish(bksi_range_encoder *encoder)
{
    // Any number of the interval will do. As `range` is TOP at least, one of them ends in three
    // bytes of 0, perhaps in four.
    const uint64_t end = encoder->low + encoder->range;
    const uint64_t four = (encoder->low + UINT32_MAX) & ~(uint64_t)UINT32_MAX;
    const uint64_t three = (encoder->low + TOP - 1) & ~(uint64_t)(TOP - 1);
    encoder->low = four < end ? four : three;
    settle(encoder);
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

uint32_t bksi_range_decode(bksi_range_decoder *decoder, uint32_t probability)
{
    BKS_ASSERT(probability >= 1 && probability < 1u << PROBABILITY_BITS);
    if (decoder->failed) {
        return 0;
    }
    const uint32_t bound = (decoder->range >> PROBABILITY_BITS) * probability;
    const uint32_t bit = decoder->code >= bound ? 1 : 0;
    if (bit == 0) {
        decoder->range = bound;
    } else {
        decoder->code -= bound;
        decoder->range -= bound;
    }
    while (decoder->range < TOP) {
        decoder->range <<= 8;
        decoder->code = decoder->code << 8 | take(decoder);
    }
    return bit;
}

uint32_t bksi_range_decode_bits(bksi_range_decoder *decoder, uint32_t bits)
{
    BKS_ASSERT(bits <= 32);
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++) {
        value = value << 1 | bksi_range_decode(decoder, BKSI_RANGE_EVEN);
    }
    return value;
}

bool bksi_range_decoder_is_done(const bksi_range_decoder *decoder)
{
    return !decoder->failed && decoder->at + 1 >= decoder->count + MISSING_MAX;
}
