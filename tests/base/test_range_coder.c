// SPDX-License-Identifier: MIT

#include "base/range_coder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/seed.h"

enum { BITS = 4000 };

typedef struct stream {
    uint32_t probabilities[BITS];
    uint8_t bits[BITS];
    double worth; ///< in bits
    uint8_t bytes[BITS * 2 + 16];
    size_t count;
    bool is_carried_far; ///< over a byte of 0xFF
} stream;

/// Bits that mostly fall as they are likely to.
static void make_stream(stream *s, uint32_t edge)
{
    s->worth = 0;
    s->is_carried_far = false;
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, s->bytes, sizeof(s->bytes));
    for (uint32_t i = 0; i < BITS; i++) {
        const uint32_t even = 1 + seed_below(65535);
        s->probabilities[i] = seed_below(3) == 0 ? 1 + seed_below(edge) : even;
        s->bits[i] = seed_below(65536) >= s->probabilities[i] ? 1 : 0;
        const double share = s->probabilities[i] / 65536.0;
        s->worth -= log2(s->bits[i] != 0 ? 1 - share : share);
        const size_t count = encoder.count;
        const uint8_t second_last = count >= 2 ? s->bytes[count - 2] : 0;
        bksi_range_encode(&encoder, s->probabilities[i], s->bits[i]);
        s->is_carried_far |= count >= 2 && s->bytes[count - 2] != second_last;
    }
    s->count = bksi_range_encoder_finish(&encoder);
    assert_false(encoder.failed);
}

static bool comes_back(const stream *s, const uint8_t *bytes, size_t count)
{
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, bytes, count);
    for (uint32_t i = 0; i < BITS; i++) {
        if (bksi_range_decode(&decoder, s->probabilities[i]) != s->bits[i]) {
            return false;
        }
    }
    return bksi_range_decoder_is_done(&decoder);
}

static void bits_come_back_at_what_they_are_worth(void **state)
{
    (void)state;
    static stream s;
    bool is_carried_far = false;
    for (uint32_t round = 0; round < 100; round++) {
        make_stream(&s, round % 2 == 0 ? 3 : 65535);
        assert_true(comes_back(&s, s.bytes, s.count));
        const double bits = 8.0 * (double)s.count;
        assert_true(bits < s.worth * 1.01 + 16);
        assert_true(bits > s.worth * 0.99 - 16);
        is_carried_far |= s.is_carried_far;
    }
    assert_true(is_carried_far);
}

static void sure_bits_cost_next_to_nothing(void **state)
{
    (void)state;
    uint8_t bytes[64];
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
    for (uint32_t i = 0; i < 10000; i++) {
        bksi_range_encode(&encoder, 65535, 0);
    }
    assert_true(bksi_range_encoder_finish(&encoder) <= 4);
    bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
    assert_int_equal(bksi_range_encoder_finish(&encoder), 0); // nothing takes nothing
}

static void numbers_at_even_chances_come_back(void **state)
{
    (void)state;
    uint8_t bytes[64];
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
    bksi_range_encode_bits(&encoder, 0xDEADBEEF, 32);
    bksi_range_encode_bits(&encoder, 5, 3);
    bksi_range_encode_bits(&encoder, 99, 0);
    const size_t count = bksi_range_encoder_finish(&encoder);
    assert_in_range(count, 4, 5);
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, bytes, count);
    assert_int_equal(bksi_range_decode_bits(&decoder, 32), 0xDEADBEEF);
    assert_int_equal(bksi_range_decode_bits(&decoder, 3), 5);
    assert_int_equal(bksi_range_decode_bits(&decoder, 0), 0);
    assert_true(bksi_range_decoder_is_done(&decoder));
}

static void numbers_take_the_bits_that_they_are_said_to(void **state)
{
    (void)state;
    static const struct {
        uint32_t number, order, bits;
    } cases[] = {{0, 0, 1},   {1, 0, 3},           {2, 0, 3},           {3, 0, 5},  {15, 4, 5},
                 {16, 4, 7},  {47, 4, 7},          {48, 4, 9},          {63, 6, 7}, {64, 6, 9},
                 {0, 16, 17}, {UINT32_MAX, 0, 65}, {UINT32_MAX, 16, 49}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[8 * 9 + 8];
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
        for (uint32_t k = 0; k < 8; k++) {
            bksi_range_encode_number(&encoder, cases[i].number, cases[i].order);
        }
        const size_t count = bksi_range_encoder_finish(&encoder);
        assert_in_range(count, cases[i].bits - 1, cases[i].bits + 1);
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, bytes, count);
        for (uint32_t k = 0; k < 8; k++) {
            assert_int_equal(bksi_range_decode_number(&decoder, cases[i].order), cases[i].number);
        }
        assert_true(bksi_range_decoder_is_done(&decoder));
    }
}

static void numbers_beyond_32_bits_are_refused(void **state)
{
    (void)state;
    // 2^32 of order 0 but for the 1 that makes it one: 32 ones, a zero, and 32 bits that are 1.
    for (uint32_t ones = 31; ones < 34; ones++) {
        uint8_t bytes[16];
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
        for (uint32_t i = 0; i < ones; i++) {
            bksi_range_encode(&encoder, BKSI_RANGE_EVEN, 1);
        }
        bksi_range_encode(&encoder, BKSI_RANGE_EVEN, 0);
        bksi_range_encode_bits(&encoder, 1, 32);
        (void)bksi_range_encoder_finish(&encoder);
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, bytes, sizeof(bytes));
        (void)bksi_range_decode_number(&decoder, 0);
        assert_int_equal(decoder.failed, ones >= 32);
    }
}

/// All numbers of the first byte, and an interval that ends where four bytes of 0 would do.
static void edges_of_the_interval_are_kept(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 256; first++) {
        uint8_t bytes[16];
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
        bksi_range_encode_bits(&encoder, first << 24 | 0xFFFFFF, 32);
        const size_t count = bksi_range_encoder_finish(&encoder);
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, bytes, count);
        assert_int_equal(bksi_range_decode_bits(&decoder, 32), first << 24 | 0xFFFFFF);
    }
    uint8_t byte = 0;
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, &byte, 1);
    encoder.low = 5;
    encoder.range = UINT32_MAX - 4;
    assert_int_equal(bksi_range_encoder_finish(&encoder), 1);
    assert_int_equal(byte, 1);
}

static void buffer_that_is_full_fails_and_is_not_left(void **state)
{
    (void)state;
    uint8_t bytes[16];
    for (size_t capacity = 0; capacity < sizeof(bytes); capacity++) {
        memset(bytes, 0xAB, sizeof(bytes));
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, bytes, capacity);
        for (uint32_t i = 0; i < 200; i++) {
            bksi_range_encode(&encoder, BKSI_RANGE_EVEN, seed_below(2));
        }
        (void)bksi_range_encoder_finish(&encoder);
        assert_true(encoder.failed);
        for (size_t i = capacity; i < sizeof(bytes); i++) {
            assert_int_equal(bytes[i], 0xAB);
        }
    }
}

static void bytes_that_are_missing_or_left_over_are_noticed(void **state)
{
    (void)state;
    static stream s;
    make_stream(&s, 65535);
    assert_false(comes_back(&s, s.bytes, s.count + 1));
    // Even chances read the same number of bytes for any content: four more than an encoder may
    // leave out.
    uint8_t bytes[64];
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, bytes, sizeof(bytes));
    for (uint32_t i = 0; i < 10; i++) {
        bksi_range_encode_bits(&encoder, 0x5A5A5A5A, 32);
    }
    const size_t whole = bksi_range_encoder_finish(&encoder);
    for (size_t count = 0; count <= whole; count++) {
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, bytes, count);
        for (uint32_t i = 0; i < 10; i++) {
            (void)bksi_range_decode_bits(&decoder, 32);
        }
        assert_int_equal(decoder.failed, decoder.at > count + 4);
        assert_true(decoder.failed || count + 1 >= whole);
        assert_int_equal(bksi_range_decoder_is_done(&decoder), !decoder.failed);
    }
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, NULL, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        (void)bksi_range_decode(&decoder, BKSI_RANGE_EVEN);
    }
    assert_true(decoder.failed);
    assert_int_equal(bksi_range_decode(&decoder, 1), 0);
}

static void a_copy_is_finished_while_the_original_continues(void **state)
{
    (void)state;
    static stream s;
    make_stream(&s, 65535);
    static uint8_t whole[sizeof(s.bytes)];
    static uint8_t part[sizeof(s.bytes)];
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, whole, sizeof(whole));
    for (uint32_t i = 0; i < BITS; i++) {
        if (i % 500 == 0) {
            bksi_range_encoder copy = encoder;
            copy.bytes = part;
            memcpy(part, whole, encoder.count);
            const size_t count = bksi_range_encoder_finish(&copy);
            bksi_range_decoder decoder;
            bksi_range_decoder_init(&decoder, part, count);
            for (uint32_t k = 0; k < i; k++) {
                assert_int_equal(bksi_range_decode(&decoder, s.probabilities[k]), s.bits[k]);
            }
            assert_true(bksi_range_decoder_is_done(&decoder));
        }
        bksi_range_encode(&encoder, s.probabilities[i], s.bits[i]);
    }
    assert_int_equal(bksi_range_encoder_finish(&encoder), s.count);
    assert_memory_equal(whole, s.bytes, s.count);
}

static void any_bytes_decode_to_bits(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 2000; round++) {
        uint8_t bytes[24];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)(seed_below(2) == 0 ? 0xFF : seed_below(256));
        }
        bksi_range_decoder decoder;
        bksi_range_decoder_init(&decoder, bytes, seed_below(sizeof(bytes) + 1));
        for (uint32_t i = 0; i < 400; i++) {
            assert_true(bksi_range_decode(&decoder, 1 + seed_below(65535)) <= 1);
            assert_in_range(bksi_range_decode_bits(&decoder, 5), 0, 31);
            (void)bksi_range_decode_number(&decoder, i % 17);
        }
        assert_true(decoder.at <= sizeof(bytes) + 8);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 20271);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_come_back_at_what_they_are_worth),
        cmocka_unit_test(sure_bits_cost_next_to_nothing),
        cmocka_unit_test(numbers_at_even_chances_come_back),
        cmocka_unit_test(numbers_take_the_bits_that_they_are_said_to),
        cmocka_unit_test(numbers_beyond_32_bits_are_refused),
        cmocka_unit_test(edges_of_the_interval_are_kept),
        cmocka_unit_test(buffer_that_is_full_fails_and_is_not_left),
        cmocka_unit_test(bytes_that_are_missing_or_left_over_are_noticed),
        cmocka_unit_test(a_copy_is_finished_while_the_original_continues),
        cmocka_unit_test(any_bytes_decode_to_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
