// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/match.h"
#include "support/seed.h"
#include "wire/join.h"
#include "wire/packet.h"
#include "wire/wire_bytes.h"

#define DUEL                                                                                 \
    {                                                                                        \
        .protocol = BKSI_PROTOCOL_VERSION, .game = "duel", .game_version = 3,                \
        .layout = UINT64_C(0x1122334455667788), .setup_form = UINT64_C(0x99AABBCCDDEEFF01),  \
        .tick_rate_hz = 60, .arithmetic = {                                                  \
            {0x9e0d, 0x79ac, 0x85bd, 0x3cf8, 0x1a44, 0x9327, 0xfac0, 0x71ef, 0x60f7, 0x61a4, \
             0xdf9d, 0xab28, 0x5be5, 0xbb36, 0xe581, 0xa0ce}                                 \
        }                                                                                    \
    }

#define DUEL_HEX                                                       \
    "046475656c"                                                       \
    "030000008877665544332211"                                         \
    "01ffeeddccbbaa993c00"                                             \
    "0d9eac79bd85f83c441a2793c0faef71f760a4619ddf28abe55b36bb81e5cea0" \
    "0000"

static const bksi_join golden_join = {
    .nonce = UINT64_C(0xA1A2A3A4A5A6A7A8),
    .compat = DUEL,
    .local_players = 2,
    .first_player = -1,
    .window = 20,
    .build = UINT64_C(0xB1B2B3B4B5B6B7B8),
    .ready = BKSI_READY,
    .start_hash = UINT64_C(0xC1C2C3C4C5C6C7C8),
};

static const bksi_refuse golden_refuse = {
    .reason = BKSI_REFUSED_START,
    .nonce = UINT64_C(0xA1A2A3A4A5A6A7A8),
    .compat = DUEL,
    .seats_free = 1,
    .text = "no room",
};

static size_t write_join(const bksi_join *join, uint8_t *bytes)
{
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, BKSI_BODY_BYTES_MAX);
    bksi_join_write(&writer, join);
    assert_false(writer.failed);
    return writer.at;
}

static bool read_join(const uint8_t *bytes, size_t count, bksi_join *join)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_byte_reader reader = bksi_byte_reader_over(copy, count);
    bool is_ok = bksi_join_read(&reader, join);
    free(copy);
    return is_ok;
}

static bool read_refuse(const uint8_t *bytes, size_t count, bksi_refuse *refuse)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_byte_reader reader = bksi_byte_reader_over(copy, count);
    bool is_ok = bksi_refuse_read(&reader, refuse);
    free(copy);
    return is_ok;
}

static size_t write_refuse(const bksi_refuse *refuse, uint8_t *bytes)
{
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, BKSI_BODY_BYTES_MAX);
    bksi_refuse_write(&writer, refuse);
    assert_false(writer.failed);
    return writer.at;
}

static void join_is_its_golden_bytes(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_join(&golden_join, bytes);
    assert_bytes(bytes, count,
                 "0a00a8a7a6a5a4a3a2a1" DUEL_HEX "020014b8b7b6b5b4b3b2b101c8c7c6c5c4c3c2c1");
}

static bksi_compat random_compat(void)
{
    bksi_compat compat = {.protocol = BKSI_PROTOCOL_VERSION,
                          .game_version = (uint32_t)seed_next(),
                          .layout = seed_next(),
                          .setup_form = seed_next(),
                          .tick_rate_hz = (uint16_t)seed_next()};
    size_t length = 1 + seed_below(BKSI_GAME_NAME_BYTES - 1);
    for (size_t i = 0; i < length; i++) {
        compat.game[i] = (char)(0x20 + seed_below(0x7f - 0x20));
    }
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        compat.arithmetic.sums[op] = (uint16_t)seed_next();
    }
    return compat;
}

static void join_comes_back_as_it_was(void **context)
{
    (void)context;
    for (int round = 0; round < 1000; round++) {
        bksi_join join = {
            .nonce = seed_next(),
            .compat = random_compat(),
            .local_players = 1 + seed_below(BKS_PLAYERS_MAX),
            .first_player = (int32_t)seed_below(BKS_PLAYERS_MAX + 1) - 1,
            .window = seed_below(BKS_WINDOW_MAX + 1),
            .build = seed_next(),
            .ready = (bksi_readiness)seed_below(3),
        };
        if (join.ready != BKSI_NOT_READY) {
            join.start_hash = seed_next();
        }
        if (join.ready == BKSI_EXPLAINS) {
            join.parts.count = seed_below(BKSI_PARTS_MAX + 1);
        }
        for (uint32_t i = 0; i < join.parts.count; i++) {
            join.parts.hashes[i] = seed_next();
        }
        uint8_t bytes[BKSI_BODY_BYTES_MAX];
        size_t count = write_join(&join, bytes);
        bksi_join back;
        assert_true(read_join(bytes, count, &back));
        assert_int_equal(bksi_compat_compare(&join.compat, &back.compat), BKSI_MISMATCH_NONE);
        assert_true(back.nonce == join.nonce);
        assert_int_equal(back.local_players, join.local_players);
        assert_int_equal(back.first_player, join.first_player);
        assert_int_equal(back.window, join.window);
        assert_true(back.build == join.build);
        assert_int_equal(back.ready, join.ready);
        assert_true(back.start_hash == join.start_hash);
        assert_memory_equal(&back.parts, &join.parts, sizeof(join.parts));
    }
}

static void join_of_any_other_length_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX] = {0};
    size_t right = write_join(&golden_join, bytes);
    bksi_join join;
    for (size_t count = 0; count <= 160; count++) {
        assert_int_equal(read_join(bytes, count, &join), count == right);
    }
    bksi_join explains = golden_join;
    explains.ready = BKSI_EXPLAINS;
    explains.parts.count = 3;
    right = write_join(&explains, bytes);
    for (size_t count = 0; count <= right + 30; count++) {
        assert_int_equal(read_join(bytes, count, &join), count == right);
    }
}

static void the_longest_join_and_refuse_fit_a_packet(void **context)
{
    (void)context;
    bksi_join join = {.compat = DUEL, .local_players = 1, .ready = BKSI_EXPLAINS};
    join.parts.count = BKSI_PARTS_MAX;
    bksi_refuse refuse = {
        .reason = BKSI_REFUSED_UNEQUAL, .compat = DUEL, .difference = {.peers = 2}};
    memset(join.compat.game, 'g', sizeof(join.compat.game) - 1);
    memset(refuse.compat.game, 'g', sizeof(refuse.compat.game) - 1);
    memset(refuse.text, 't', sizeof(refuse.text) - 1);
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_join join_back;
    bksi_refuse refuse_back;
    assert_true(read_join(bytes, write_join(&join, bytes), &join_back));
    assert_true(read_refuse(bytes, write_refuse(&refuse, bytes), &refuse_back));
}

static void more_parts_than_there_may_be_are_refused(void **context)
{
    (void)context;
    uint8_t bytes[2 * BKSI_BODY_BYTES_MAX] = {0};
    bksi_join join = golden_join;
    join.ready = BKSI_EXPLAINS;
    size_t count = write_join(&join, bytes);
    for (uint32_t parts = 0; parts < 256; parts++) {
        bytes[count - 1] = (uint8_t)parts;
        assert_int_equal(read_join(bytes, count + 8 * (size_t)parts, &join), parts <= 120);
    }
}

static void a_verdict_comes_back_and_one_that_cannot_be_is_refused(void **context)
{
    (void)context;
    const bksi_refuse verdict = {.reason = BKSI_REFUSED_UNEQUAL,
                                 .nonce = UINT64_C(0xA1A2A3A4A5A6A7A8),
                                 .compat = DUEL,
                                 .difference = {.peers = 6, .parts = 11, .differ = {0x81, 0x04}}};
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_refuse(&verdict, bytes);
    assert_bytes(bytes, count,
                 "0ca8a7a6a5a4a3a2a10a00" DUEL_HEX "0000"
                 "060b"
                 "810400000000000000000000000000");
    bksi_refuse back;
    assert_true(read_refuse(bytes, count, &back));
    assert_memory_equal(&back.difference, &verdict.difference, sizeof(back.difference));
    assert_true(bksi_difference_has(&back.difference, 7) &&
                bksi_difference_has(&back.difference, 10));
    assert_false(read_refuse(bytes, count - 1, &back));
    for (uint32_t value = 0; value < 256; value++) { // never the host
        bytes[count - 17] = (uint8_t)value;
        assert_int_equal(read_refuse(bytes, count, &back), value > 0 && value % 2 == 0);
    }
    bytes[count - 17] = 2;
    for (uint32_t value = 0; value < 256; value++) { // no part beyond the last, which is number 10
        bytes[count - 16] = (uint8_t)value;
        assert_int_equal(read_refuse(bytes, count, &back), value >= 11 && value <= 120);
    }
}

static void join_with_a_number_out_of_range_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_join(&golden_join, bytes);
    const struct {
        size_t at;
        uint32_t least, greatest;
    } fields[] = {{count - 20, 1, 16},
                  {count - 19, 0, 16},
                  {count - 18, 0, BKS_WINDOW_MAX},
                  {count - 9, 1, 1}};
    for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
        uint8_t before = bytes[fields[f].at];
        for (uint32_t value = 0; value < 256; value++) {
            bytes[fields[f].at] = (uint8_t)value;
            bksi_join join;
            assert_int_equal(read_join(bytes, count, &join),
                             value >= fields[f].least && value <= fields[f].greatest);
        }
        bytes[fields[f].at] = before;
    }
}

static void a_game_without_a_printable_name_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_join join;
    size_t count = write_join(&golden_join, bytes);
    for (uint32_t byte = 0; byte < 256; byte++) {
        bytes[12] = (uint8_t)byte;
        assert_int_equal(read_join(bytes, count, &join), byte >= 0x20 && byte <= 0x7e);
    }
    bksi_join nameless = golden_join;
    nameless.compat.game[0] = '\0';
    count = write_join(&nameless, bytes);
    assert_false(read_join(bytes, count, &join));
}

// A peer of another version can read that it is refused.
static void of_another_protocol_nonce_and_version_are_read_whatever_follows(void **context)
{
    (void)context;
    uint8_t bytes[64];
    memset(bytes, 0xff, sizeof(bytes));
    memcpy(bytes, "\13\0\1\2\3\4\5\6\7\10", 10);
    bksi_join join;
    for (size_t count = 0; count <= sizeof(bytes); count++) {
        assert_int_equal(read_join(bytes, count, &join), count >= 10);
        if (count >= 10) {
            assert_int_equal(join.compat.protocol, 11);
            assert_true(join.nonce == UINT64_C(0x0807060504030201));
        }
    }
    memcpy(bytes, "\1\1\2\3\4\5\6\7\10\13\0", 11);
    bksi_refuse refuse;
    for (size_t count = 0; count <= sizeof(bytes); count++) {
        assert_int_equal(read_refuse(bytes, count, &refuse), count >= 11);
        if (count >= 11) {
            assert_int_equal(refuse.compat.protocol, 11);
            assert_true(refuse.nonce == UINT64_C(0x0807060504030201));
        }
    }
    bytes[0] = BKSI_MISMATCH_GAME; // the only reason that another version can have
    assert_false(read_refuse(bytes, sizeof(bytes), &refuse));
}

static void refuse_is_its_golden_bytes_and_comes_back(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_refuse(&golden_refuse, bytes);
    assert_bytes(bytes, count,
                 "0ba8a7a6a5a4a3a2a10a00" DUEL_HEX "01"
                 "076e6f20726f6f6d");
    bksi_refuse back;
    assert_true(read_refuse(bytes, count, &back));
    assert_int_equal(back.reason, golden_refuse.reason);
    assert_true(back.nonce == golden_refuse.nonce);
    assert_int_equal(bksi_compat_compare(&back.compat, &golden_refuse.compat), BKSI_MISMATCH_NONE);
    assert_int_equal(back.seats_free, 1);
    assert_string_equal(back.text, "no room");
}

static void refuse_of_another_length_or_out_of_range_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX] = {0};
    size_t right = write_refuse(&golden_refuse, bytes);
    bksi_refuse refuse;
    for (size_t count = 0; count <= 160; count++) {
        assert_int_equal(read_refuse(bytes, count, &refuse), count == right);
    }
    for (uint32_t value = 0; value < 256; value++) {
        bytes[0] = (uint8_t)value;
        assert_int_equal(read_refuse(bytes, right, &refuse), value >= 1 && value <= 11);
    }
    bytes[0] = 1;
    for (uint32_t value = 0; value < 256; value++) {
        bytes[right - 9] = (uint8_t)value;
        assert_int_equal(read_refuse(bytes, right, &refuse), value <= 16);
    }
}

static void random_bytes_are_read_within_their_bounds(void **context)
{
    (void)context;
    uint32_t taken = 0;
    for (int round = 0; round < 40000; round++) {
        uint8_t bytes[BKSI_BODY_BYTES_MAX];
        bool is_join = seed_below(2) == 0;
        size_t count =
            is_join ? write_join(&golden_join, bytes) : write_refuse(&golden_refuse, bytes);
        for (uint32_t left = 1 + seed_below(3); left > 0; left--) {
            bytes[seed_below((uint32_t)count)] = (uint8_t)seed_next();
        }
        count -= seed_below(8) == 0 ? seed_below((uint32_t)count) : 0;
        bksi_join join;
        bksi_refuse refuse;
        if (is_join && read_join(bytes, count, &join)) {
            taken++;
            assert_true(join.local_players <= BKS_PLAYERS_MAX);
            assert_true(join.first_player >= -1 && join.first_player < BKS_PLAYERS_MAX);
            assert_non_null(memchr(join.compat.game, 0, sizeof(join.compat.game)));
        }
        if (!is_join && read_refuse(bytes, count, &refuse)) {
            taken++;
            assert_in_range(refuse.reason, 1, 12);
            assert_non_null(memchr(refuse.text, 0, sizeof(refuse.text)));
        }
    }
    assert_true(taken > 1000);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(join_is_its_golden_bytes),
        cmocka_unit_test(join_comes_back_as_it_was),
        cmocka_unit_test(join_of_any_other_length_is_refused),
        cmocka_unit_test(the_longest_join_and_refuse_fit_a_packet),
        cmocka_unit_test(more_parts_than_there_may_be_are_refused),
        cmocka_unit_test(a_verdict_comes_back_and_one_that_cannot_be_is_refused),
        cmocka_unit_test(join_with_a_number_out_of_range_is_refused),
        cmocka_unit_test(a_game_without_a_printable_name_is_refused),
        cmocka_unit_test(of_another_protocol_nonce_and_version_are_read_whatever_follows),
        cmocka_unit_test(refuse_is_its_golden_bytes_and_comes_back),
        cmocka_unit_test(refuse_of_another_length_or_out_of_range_is_refused),
        cmocka_unit_test(random_bytes_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
