// SPDX-License-Identifier: MIT

/// @file bits.h
/// Numbers as bits, lowest bit first within a byte, packed without gaps.

#ifndef BKSI_BITS_H
#define BKSI_BITS_H

#include "base/report.h"

/// Writer of bits into a buffer. Once something did not fit, `failed` stays true.
typedef struct bksi_bit_writer {
    /// Buffer to write to. The unused bits of the last written byte are zero; later bytes are
    /// unchanged.
    uint8_t *bytes;
    size_t capacity_bits;
    size_t at_bits; ///< number of bits written so far
    bool failed;
} bksi_bit_writer;

static inline bksi_bit_writer bksi_bit_writer_over(void *bytes, size_t capacity_bytes)
{
    BKS_ASSERT(capacity_bytes <= SIZE_MAX / 8);
    return (bksi_bit_writer){.bytes = bytes, .capacity_bits = capacity_bytes * 8};
}

/// Write the lowest `bits` (0..64) of `value`.
void bksi_write_bits(bksi_bit_writer *writer, uint64_t value, uint32_t bits);
/// Write the first `bits` of some bytes, as a writer wrote them.
void bksi_copy_bits(bksi_bit_writer *writer, const uint8_t *bytes, size_t bits);
/// Return the number of bytes written, a partly filled last byte included.
size_t bksi_bit_writer_bytes(const bksi_bit_writer *writer);

/// Reader of bits. Once bits were missing, `failed` stays true and reads give zero.
typedef struct bksi_bit_reader {
    const uint8_t *bytes;
    size_t count_bits;
    size_t at_bits; ///< number of bits read so far
    bool failed;
} bksi_bit_reader;

static inline bksi_bit_reader bksi_bit_reader_over(const void *bytes, size_t count_bytes)
{
    BKS_ASSERT(count_bytes <= SIZE_MAX / 8);
    return (bksi_bit_reader){.bytes = bytes, .count_bits = count_bytes * 8};
}

uint64_t bksi_read_bits(bksi_bit_reader *reader, uint32_t bits);

/// Return the number of bits up to the highest set one: 0 for 0, at most 64.
static inline uint32_t bksi_bit_length(uint64_t number)
{
#if defined(__GNUC__)
    return number == 0 ? 0 : 64u - (uint32_t)__builtin_clzll(number);
#else
    uint32_t length = 0;
    for (; number != 0; number >>= 1) {
        length++;
    }
    return length;
#endif
}

/// Return the number of zeros below the lowest set bit of a number above 0: 0..63.
static inline uint32_t bksi_lowest_bit(uint64_t number)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(number);
#else
    return bksi_bit_length(number & (~number + 1)) - 1;
#endif
}

/// Return the index of the highest set bit of a number above 0.
static inline uint32_t bksi_highest_bit(uint32_t number)
{
#if defined(__GNUC__)
    // 31 ^ n is 31 - n for n up to 31, in one instruction.
    return 31u ^ (uint32_t)__builtin_clz(number);
#else
    return bksi_bit_length(number) - 1;
#endif
}

/// Sign-extend the lowest `bits` (1..32) of value.
static inline int32_t bksi_sign_extend(uint32_t value, uint32_t bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    const uint64_t low = value & (sign * 2 - 1);
    return (int32_t)((int64_t)(low ^ sign) - (int64_t)sign);
}

#endif
