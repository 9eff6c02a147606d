// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/seed.h"
#include "wire/join.h"
#include "wire/packet.h"
#include "wire/wire_bytes.h"

#define JOIN_BYTES   35u
#define REFUSE_BYTES 25u

static const bksi_join golden_join = {
    .facts = {.protocol = 1,
              .game = UINT64_C(0x512d9332bc1b9b75), // XXH3-64 of "duel"
              .game_version = 3,
              .layout = UINT64_C(0x1122334455667788),
              .tick_rate_hz = 60},
    .nonce = UINT64_C(0xA1A2A3A4A5A6A7A8),
    .local_players = 2,
    .first_player = -1,
    .is_ready = true,
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

static void join_is_its_golden_bytes(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_join(&golden_join, bytes);
    assert_bytes(bytes, count,
                 "0100759b1bbc32932d510300000088776655443322113c00a8a7a6a5a4a3a2a1020001");
}

static void join_comes_back_as_it_was(void **context)
{
    (void)context;
    for (int round = 0; round < 1000; round++) {
        bksi_join join = {
            .facts = {(uint16_t)seed_next(), seed_next(), (uint32_t)seed_next(), seed_next(),
                      (uint16_t)seed_next()},
            .nonce = seed_next(),
            .local_players = 1 + seed_below(BKS_PLAYERS_MAX),
            .first_player = (int32_t)seed_below(BKS_PLAYERS_MAX + 1) - 1,
            .is_ready = seed_below(2) == 1,
        };
        uint8_t bytes[BKSI_BODY_BYTES_MAX];
        size_t count = write_join(&join, bytes);
        assert_int_equal(count, JOIN_BYTES);
        bksi_join back;
        assert_true(read_join(bytes, count, &back));
        assert_int_equal(back.facts.protocol, join.facts.protocol);
        assert_true(back.facts.game == join.facts.game);
        assert_int_equal(back.facts.game_version, join.facts.game_version);
        assert_true(back.facts.layout == join.facts.layout);
        assert_int_equal(back.facts.tick_rate_hz, join.facts.tick_rate_hz);
        assert_true(back.nonce == join.nonce);
        assert_int_equal(back.local_players, join.local_players);
        assert_int_equal(back.first_player, join.first_player);
        assert_int_equal(back.is_ready, join.is_ready);
    }
}

static void join_of_any_other_length_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX] = {0};
    size_t right = write_join(&golden_join, bytes);
    bksi_join join;
    for (size_t count = 0; count <= 80; count++)
        assert_int_equal(read_join(bytes, count, &join), count == right);
}

static void join_with_a_number_out_of_range_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_join(&golden_join, bytes);
    static const struct {
        size_t at;
        uint32_t least, greatest;
    } fields[] = {{32, 1, 16}, {33, 0, 16}, {34, 0, 1}};
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

static void refuse_is_its_golden_bytes_and_comes_back(void **context)
{
    (void)context;
    bksi_refuse refuse = {BKSI_REFUSED_VERSION, UINT64_C(0xA1A2A3A4A5A6A7A8), 3, 4};
    uint8_t bytes[REFUSE_BYTES];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_refuse_write(&writer, &refuse);
    assert_false(writer.failed);
    assert_bytes(bytes, writer.at, "03a8a7a6a5a4a3a2a103000000000000000400000000000000");
    bksi_refuse back = {0};
    assert_true(read_refuse(bytes, sizeof(bytes), &back));
    assert_int_equal(back.reason, refuse.reason);
    assert_true(back.nonce == refuse.nonce);
    assert_true(back.host == refuse.host);
    assert_true(back.guest == refuse.guest);
}

static void refuse_of_another_length_or_reason_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[REFUSE_BYTES + 8] = {1};
    bksi_refuse refuse;
    for (size_t count = 0; count <= sizeof(bytes); count++)
        assert_int_equal(read_refuse(bytes, count, &refuse), count == REFUSE_BYTES);
    for (uint32_t reason = 0; reason < 256; reason++) {
        bytes[0] = (uint8_t)reason;
        assert_int_equal(read_refuse(bytes, REFUSE_BYTES, &refuse), reason >= 1 && reason <= 7);
    }
}

static void the_first_fact_that_differs_is_named_with_both_values(void **context)
{
    (void)context;
    const bksi_facts host = golden_join.facts;
    bksi_refuse refuse = {0};
    assert_int_equal(bksi_facts_compare(&host, &host, &refuse), 0);
    bksi_facts guest = host;
    guest.tick_rate_hz = 50;
    assert_int_equal(bksi_facts_compare(&host, &guest, &refuse), BKSI_REFUSED_TICK_RATE);
    assert_int_equal(refuse.host, 60);
    assert_int_equal(refuse.guest, 50);
    guest.layout++;
    assert_int_equal(bksi_facts_compare(&host, &guest, &refuse), BKSI_REFUSED_LAYOUT);
    assert_true(refuse.host == host.layout && refuse.guest == guest.layout);
    guest.game_version = 9;
    assert_int_equal(bksi_facts_compare(&host, &guest, &refuse), BKSI_REFUSED_VERSION);
    assert_int_equal(refuse.guest, 9);
    guest.game++;
    assert_int_equal(bksi_facts_compare(&host, &guest, &refuse), BKSI_REFUSED_GAME);
    guest.protocol = 2;
    assert_int_equal(bksi_facts_compare(&host, &guest, &refuse), BKSI_REFUSED_PROTOCOL);
    assert_int_equal(refuse.reason, BKSI_REFUSED_PROTOCOL);
    assert_int_equal(refuse.guest, 2);
}

static void every_refusal_has_words_of_its_own(void **context)
{
    (void)context;
    for (uint32_t a = 1; a <= 8; a++) {
        for (uint32_t b = a + 1; b <= 8; b++)
            assert_string_not_equal(bksi_refusal_text((bksi_refusal)a),
                                    bksi_refusal_text((bksi_refusal)b));
    }
}

static void random_bytes_are_read_within_their_bounds(void **context)
{
    (void)context;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[64];
        size_t count = seed_below(sizeof(bytes) + 1);
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)(seed_below(2) == 0 ? seed_below(4) : seed_next());
        bksi_join join;
        bksi_refuse refuse;
        if (read_join(bytes, count, &join)) {
            assert_in_range(join.local_players, 1, BKS_PLAYERS_MAX);
            assert_true(join.first_player >= -1 && join.first_player < BKS_PLAYERS_MAX);
        }
        if (read_refuse(bytes, count, &refuse))
            assert_in_range(refuse.reason, 1, 7);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(join_is_its_golden_bytes),
        cmocka_unit_test(join_comes_back_as_it_was),
        cmocka_unit_test(join_of_any_other_length_is_refused),
        cmocka_unit_test(join_with_a_number_out_of_range_is_refused),
        cmocka_unit_test(refuse_is_its_golden_bytes_and_comes_back),
        cmocka_unit_test(refuse_of_another_length_or_reason_is_refused),
        cmocka_unit_test(the_first_fact_that_differs_is_named_with_both_values),
        cmocka_unit_test(every_refusal_has_words_of_its_own),
        cmocka_unit_test(random_bytes_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
