// SPDX-License-Identifier: MIT

// Sealed packets: what is not exactly what the peer made, once, is not taken and moves nothing.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/seal.h"
#include "support/seed.h"

typedef struct ends {
    bksi_seal a, b;
} ends;

static ends make_ends(void)
{
    uint8_t keys[2][BKSI_SEAL_KEY_BYTES];
    memset(keys[0], 1, sizeof(keys[0]));
    memset(keys[1], 2, sizeof(keys[1]));
    ends made;
    bksi_seal_begin(&made.a, keys[0], keys[1]);
    bksi_seal_begin(&made.b, keys[1], keys[0]);
    return made;
}

/// A packet of A's whose body is its number.
static size_t close_numbered(bksi_seal *seal, uint64_t number, uint8_t *packet)
{
    seal->next = number;
    return bksi_seal_close(seal, BKSI_PACKET_INPUT, 3, &number, sizeof(number), packet);
}

/// What B says to A's packet of this number.
static bksi_seal_result offer(ends *e, uint64_t number)
{
    uint8_t packet[64];
    uint64_t body = 0;
    uint64_t got = UINT64_MAX;
    size_t count = close_numbered(&e->a, number, packet);
    bksi_seal_result result = bksi_seal_open(&e->b, packet, count, (uint8_t *)&body, &got);
    if (result == BKSI_SEAL_TAKEN) {
        assert_true(got == number);
        assert_true(body == number);
    }
    return result;
}

static void sealed_packets_are_their_golden_bytes(void **context)
{
    (void)context;
    // By Python's cryptography: key 00 01 … 1f.
    static const uint8_t wanted[] = {0x53, 0x07, 0x00, 0xf4, 0x6e, 0x01, 0xdd, 0xdb, 0x4a,
                                     0xcf, 0x24, 0xd8, 0xde, 0x3e, 0x98, 0x34, 0xcf, 0x37,
                                     0xd8, 0x0e, 0x47, 0x8d, 0xc0, 0x73, 0x1d};
    static const uint8_t far[] = {0x7f, 0x07, 0x00, 0xec, 0x8a, 0xdd, 0xe5, 0x44, 0xcd, 0xf6,
                                  0xb0, 0x71, 0x07, 0xc0, 0xd0, 0xc2, 0x53, 0x7e, 0x3e, 0xd1};
    uint8_t key[BKSI_SEAL_KEY_BYTES];
    for (uint8_t i = 0; i < sizeof(key); i++) {
        key[i] = i;
    }
    bksi_seal seal;
    bksi_seal_begin(&seal, key, key);
    static const uint8_t body[] = {0x05, 0x61, 0x85, 0x95, 0xF9, 0xA2};
    uint8_t packet[64];
    seal.next = 7;
    assert_int_equal(bksi_seal_close(&seal, BKSI_PACKET_INPUT, 3, body, sizeof(body), packet),
                     sizeof(wanted));
    assert_memory_equal(packet, wanted, sizeof(wanted));
    assert_true(seal.next == 8);
    seal.next = UINT64_C(0x123450007);
    assert_int_equal(bksi_seal_close(&seal, BKSI_PACKET_BYE, 15, "\1", 1, packet), sizeof(far));
    assert_memory_equal(packet, far, sizeof(far));
}

static void packets_of_every_size_come_out_as_they_went_in(void **context)
{
    (void)context;
    ends e = make_ends();
    for (size_t size = 0; size <= BKSI_BODY_BYTES_MAX; size++) {
        uint8_t body[BKSI_BODY_BYTES_MAX];
        uint8_t back[BKSI_BODY_BYTES_MAX];
        uint8_t packet[BKS_PACKET_BYTES_MAX];
        for (size_t i = 0; i < size; i++) {
            body[i] = (uint8_t)seed_next();
        }
        size_t count = bksi_seal_close(&e.a, BKSI_PACKET_ROSTER, size % 16, body, size, packet);
        assert_int_equal(count, size + BKSI_PACKET_SEAL_BYTES);
        assert_int_equal(packet[0], BKSI_PACKET_ROSTER << 4 | size % 16);
        uint64_t number = 0;
        assert_int_equal(bksi_seal_open(&e.b, packet, count, back, &number), BKSI_SEAL_TAKEN);
        assert_int_equal(number, size);
        assert_memory_equal(back, body, size);
    }
}

static void a_packet_is_taken_once(void **context)
{
    (void)context;
    ends e = make_ends();
    for (uint64_t number = 0; number < 5000; number++) {
        assert_int_equal(offer(&e, number), BKSI_SEAL_TAKEN);
        assert_int_equal(offer(&e, number), BKSI_SEAL_REPEATED);
        if (number >= 7) {
            assert_int_equal(offer(&e, number - 7), BKSI_SEAL_REPEATED);
        }
    }
}

static void packets_in_any_order_are_taken_within_the_window(void **context)
{
    (void)context;
    ends e = make_ends();
    assert_int_equal(offer(&e, 9000), BKSI_SEAL_TAKEN);
    assert_int_equal(offer(&e, 9001 - BKSI_SEAL_WINDOW), BKSI_SEAL_TAKEN);
    assert_int_equal(offer(&e, 9000 - BKSI_SEAL_WINDOW), BKSI_SEAL_REPEATED); // too old to know
    for (uint64_t number = 9001 - BKSI_SEAL_WINDOW + 1; number < 9000; number++) {
        assert_int_equal(offer(&e, number), BKSI_SEAL_TAKEN);
    }
    for (uint64_t number = 9001 - BKSI_SEAL_WINDOW; number <= 9000; number++) {
        assert_int_equal(offer(&e, number), BKSI_SEAL_REPEATED);
    }
}

/// Against a plain list of all numbers that were taken.
static void the_window_is_what_a_list_of_numbers_says(void **context)
{
    (void)context;
    static bool was_taken[400000];
    memset(was_taken, 0, sizeof(was_taken));
    ends e = make_ends();
    int64_t highest = -1;
    for (int round = 0; round < 60000; round++) {
        int64_t low = highest > 6000 ? highest - 6000 : 0;
        int64_t number = low + (int64_t)seed_below((uint32_t)(highest - low) + 4);
        if (seed_below(400) == 0) {
            number = highest + 1 + (int64_t)seed_below(5000);
        }
        if (number >= 400000) {
            break;
        }
        bool wanted = !was_taken[number] && number > highest - (int64_t)BKSI_SEAL_WINDOW;
        assert_int_equal(offer(&e, (uint64_t)number) == BKSI_SEAL_TAKEN, wanted);
        was_taken[number] |= wanted;
        highest = number > highest ? number : highest;
    }
    assert_true(highest > 20000);
}

static void numbers_continue_beyond_16_bits(void **context)
{
    (void)context;
    ends e = make_ends();
    uint64_t number = 0;
    while (number < 300000) {
        assert_int_equal(offer(&e, number), BKSI_SEAL_TAKEN);
        assert_true(e.b.highest == number + 1);
        number += 1 + seed_below(300);
    }
    // A gap of half the span and more is not bridged: what comes then is taken for another number.
    assert_int_equal(offer(&e, e.b.highest + 0x7fff), BKSI_SEAL_TAKEN);
    assert_int_equal(offer(&e, e.b.highest + 0x8000), BKSI_SEAL_FORGED);
}

static void a_packet_of_the_first_numbers_is_never_one_below_zero(void **context)
{
    (void)context;
    ends e = make_ends();
    assert_int_equal(offer(&e, 40000), BKSI_SEAL_TAKEN);
    ends fresh = make_ends();
    assert_int_equal(offer(&fresh, 0xffff), BKSI_SEAL_TAKEN);
    assert_true(fresh.b.highest == 0x10000);
}

static void a_reflected_packet_is_forged(void **context)
{
    (void)context;
    ends e = make_ends();
    uint8_t packet[64];
    uint8_t out[64];
    uint64_t number = 0;
    size_t count = close_numbered(&e.a, 5, packet);
    bksi_seal before = e.a;
    assert_int_equal(bksi_seal_open(&e.a, packet, count, out, &number), BKSI_SEAL_FORGED);
    assert_memory_equal(&e.a, &before, sizeof(before));
}

static void every_flipped_bit_and_every_cut_is_forged_and_moves_nothing(void **context)
{
    (void)context;
    ends e = make_ends();
    for (uint64_t n = 0; n < 100; n++) {
        assert_int_equal(offer(&e, n), BKSI_SEAL_TAKEN);
    }
    uint8_t packet[64] = {0};
    uint8_t out[64];
    uint64_t number = 77;
    size_t count = close_numbered(&e.a, 100, packet);
    bksi_seal before = e.b;
    for (size_t bit = 0; bit < count * 8; bit++) {
        packet[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(bksi_seal_open(&e.b, packet, count, out, &number), BKSI_SEAL_FORGED);
        packet[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = BKSI_PACKET_SEAL_BYTES; cut < count; cut++) {
        assert_int_equal(bksi_seal_open(&e.b, packet, cut, out, &number), BKSI_SEAL_FORGED);
    }
    assert_int_equal(bksi_seal_open(&e.b, packet, count + 1, out, &number), BKSI_SEAL_FORGED);
    assert_memory_equal(&e.b, &before, sizeof(before));
    assert_true(number == 77);
    assert_int_equal(bksi_seal_open(&e.b, packet, count, out, &number), BKSI_SEAL_TAKEN);
}

static void a_hundred_thousand_forged_packets_are_refused_and_move_nothing(void **context)
{
    (void)context;
    ends e = make_ends();
    for (uint64_t n = 0; n < 2000; n += 3) {
        assert_int_equal(offer(&e, n), BKSI_SEAL_TAKEN);
    }
    uint8_t real[64];
    size_t real_bytes = close_numbered(&e.a, 2000, real);
    bksi_seal before = e.b;
    for (int round = 0; round < 100000; round++) {
        uint8_t packet[64];
        uint8_t out[64];
        uint64_t number = 0;
        memcpy(packet, real, sizeof(packet));
        size_t count = BKSI_PACKET_SEAL_BYTES + seed_below(40);
        if (seed_below(2) == 0) { // a real one in part
            count = real_bytes;
            for (uint32_t i = 0; i < 1 + seed_below(4); i++) {
                packet[seed_below((uint32_t)count)] ^= (uint8_t)(1 + seed_below(255));
            }
            if (memcmp(packet, real, count) == 0) {
                continue;
            }
        } else {
            for (size_t i = 0; i < count; i++) {
                packet[i] = (uint8_t)seed_next();
            }
        }
        assert_int_equal(bksi_seal_open(&e.b, packet, count, out, &number), BKSI_SEAL_FORGED);
    }
    assert_memory_equal(&e.b, &before, sizeof(before));
    uint64_t number = 0;
    uint8_t out[64];
    assert_int_equal(bksi_seal_open(&e.b, real, real_bytes, out, &number), BKSI_SEAL_TAKEN);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealed_packets_are_their_golden_bytes),
        cmocka_unit_test(packets_of_every_size_come_out_as_they_went_in),
        cmocka_unit_test(a_packet_is_taken_once),
        cmocka_unit_test(packets_in_any_order_are_taken_within_the_window),
        cmocka_unit_test(the_window_is_what_a_list_of_numbers_says),
        cmocka_unit_test(numbers_continue_beyond_16_bits),
        cmocka_unit_test(a_packet_of_the_first_numbers_is_never_one_below_zero),
        cmocka_unit_test(a_reflected_packet_is_forged),
        cmocka_unit_test(every_flipped_bit_and_every_cut_is_forged_and_moves_nothing),
        cmocka_unit_test(a_hundred_thousand_forged_packets_are_refused_and_move_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
