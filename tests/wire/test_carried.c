// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "support/seed.h"
#include "wire/carried.h"
#include "wire/carried_again.h"
#include "wire/wire_bytes.h"

static bool is_sound(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = exact_copy(bytes, count);
    bool sound = bksi_carried_is_sound(copy, count);
    free(copy);
    return sound;
}

static void the_examples_bytes_are_these(void **context)
{
    (void)context;
    uint8_t bytes[64];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_carried_write_own(&writer, BKSI_PACKET_SLOW, (const uint8_t *)"\x20", 1);
    bksi_carried_write_packet(&writer, 0x3628D, false, (const uint8_t *)"abc", 3);
    bksi_carried_write_packet(&writer, 0x1042, true, (const uint8_t *)"de", 2);
    const uint8_t wanted[] = {0x01, 0xF0, 0x20,                                  // SLOW
                              0x8D, 0x62, 0x03, 0x80, 0x03, 0x00, 'a', 'b', 'c', // sized
                              0x42, 0x10, 0x00, 0x00, 'd',  'e'};                // the last
    assert_int_equal(writer.at, sizeof(wanted));
    assert_memory_equal(bytes, wanted, sizeof(wanted));
    assert_true(is_sound(wanted, sizeof(wanted)));
    bksi_byte_reader reader = bksi_byte_reader_over(wanted, sizeof(wanted));
    bksi_carried_piece piece;
    assert_true(bksi_carried_read(&reader, &piece));
    assert_true(piece.is_own);
    assert_int_equal(piece.type, BKSI_PACKET_SLOW);
    assert_int_equal(piece.count, 1);
    assert_ptr_equal(piece.bytes, wanted + 2);
    assert_true(bksi_carried_read(&reader, &piece));
    assert_false(piece.is_own);
    assert_int_equal(piece.route, 0x3628D);
    assert_int_equal(piece.count, 3);
    assert_memory_equal(piece.bytes, "abc", 3);
    assert_true(bksi_carried_read(&reader, &piece));
    assert_int_equal(piece.route, 0x1042);
    assert_int_equal(piece.count, 2);
    assert_memory_equal(piece.bytes, "de", 2);
    assert_false(bksi_carried_read(&reader, &piece));
    assert_false(reader.failed);
}

static void bodies_that_are_not_whole_are_refused(void **context)
{
    (void)context;
    const struct {
        size_t count;
        uint8_t bytes[16];
    } wrong[] = {
        {0, {0}},                                                 // nothing
        {1, {0x42}},                                              // half a route
        {3, {0x42, 0x10, 0}},                                     // a route cut short
        {4, {0x42, 0x10, 0, 0}},                                  // no packet
        {5, {0x42, 0x10, 0, 0x80, 1}},                            // a length cut short
        {7, {0x42, 0x10, 0, 0x80, 1, 0, 'a'}},                    // the last has a length
        {8, {0x42, 0x10, 0, 0x80, 3, 0, 'a', 'b'}},               // longer than what is there
        {9, {0x42, 0x10, 0, 0x80, 1, 0, 'a', 0x42, 0x10}},        // the second cut short
        {11, {0x42, 0x10, 0, 0x80, 0, 0, 0x42, 0x10, 0, 0, 'a'}}, // an empty packet
        {3, {0x01, 0xF0, 0x20}},                                  // the own message alone
        {2, {0x00, 0xF0}},                                        // an empty one
        {7, {0x00, 0xF0, 0x42, 0x10, 0, 0, 'a'}},                 // and a packet
        {8, {0x01, 0xD0, 0x20, 0x42, 0x10, 0, 0, 'a'}},           // CARRIED in itself
        {8, {0x01, 0x80, 0x20, 0x42, 0x10, 0, 0, 'a'}},           // a handshake
        {8, {0x01, 0xF8, 0x20, 0x42, 0x10, 0, 0, 'a'}},           // ADDRESS
        {8, {0x07, 0xF0, 0x20, 0x42, 0x10, 0, 0, 'a'}},           // longer than what is there
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (is_sound(wrong[i].bytes, wrong[i].count)) {
            fail_msg("number %u was taken", (unsigned)i);
        }
    }
}

static void the_longest_packet_fits_alone_and_no_longer_one_is_taken(void **context)
{
    (void)context;
    assert_int_equal(BKSI_CARRIED_PACKET_BYTES_MAX, 1177);
    uint8_t bytes[BKSI_BODY_BYTES_MAX + 3];
    uint8_t packet[BKSI_CARRIED_PACKET_BYTES_MAX] = {7};
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, BKSI_BODY_BYTES_MAX);
    bksi_carried_write_packet(&writer, 0x1042, true, packet, sizeof(packet));
    assert_false(writer.failed);
    assert_int_equal(writer.at, BKSI_BODY_BYTES_MAX);
    assert_true(is_sound(bytes, writer.at));
    bytes[writer.at] = 0;
    assert_false(is_sound(bytes, writer.at + 1));
}

static void what_is_taken_of_random_bytes_is_written_alike(void **context)
{
    (void)context;
    uint8_t bytes[400] = {0};
    uint32_t sound = 0;
    for (int i = 0; i < 200000; i++) {
        size_t count = seed_below(60);
        for (size_t k = 0; k < count; k++) {
            bytes[k] = (uint8_t)(seed_below(2) == 0 ? seed_below(8) : seed_next());
        }
        if (!is_sound(bytes, count)) {
            continue;
        }
        sound++;
        uint8_t again[BKSI_BODY_BYTES_MAX];
        assert_int_equal(carried_again(bytes, count, again), count);
        assert_memory_equal(again, bytes, count);
    }
    assert_true(sound > 1000);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 17);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_bytes_are_these),
        cmocka_unit_test(bodies_that_are_not_whole_are_refused),
        cmocka_unit_test(the_longest_packet_fits_alone_and_no_longer_one_is_taken),
        cmocka_unit_test(what_is_taken_of_random_bytes_is_written_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
