// SPDX-License-Identifier: MIT

// Blobs of commands as bits of messages, read back and from bytes that no peer writes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/inputs/blobs.h"
#include "support/seed.h"

enum { PLAYERS = 2, TICKS = 120, LONGEST = 300, ROOM = 2000, ROOM_TICKS = 64 };

static const bks_field fields[] = {{.name = "aim", .bits = 8}};
static const session_peer peer = {.first_player = 1, .player_count = PLAYERS};
static bksi_layout layout;
static bksi_rollback engine;
static session_packed packed;
static uint8_t body[1 << 16];

static void begin(void)
{
    assert_int_equal(bksi_layout_init(&layout, fields, 1, NULL), BKS_OK);
    const bksi_rollback_config config = {
        .layout = &layout,
        .players_max = 1 + PLAYERS,
        .capacity_ticks = 128,
        .save = BKS_SAVE_EVERY,
        .commands = {.bytes_max = LONGEST, .room_bytes = ROOM, .room_ticks = ROOM_TICKS},
    };
    engine = (bksi_rollback){0};
    assert_int_equal(bksi_rollback_create(&engine, &config, NULL), BKS_OK);
    bksi_rollback_begin(&engine, 0);
    assert_int_equal(bksi_packed_create(&packed, 1 + PLAYERS, PLAYERS, 128, &config.allocator),
                     BKS_OK);
}

static void end(void)
{
    bksi_packed_destroy(&packed, &engine.config.allocator);
    bksi_rollback_destroy(&engine);
}

static bool goes_ahead = true; ///< some commands travel ahead

/// Append a tick in which each player gives one command of `counts` bytes; 0: none.
static void append(const uint32_t *counts)
{
    static const uint8_t neutral;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        uint8_t bytes[2 + LONGEST] = {(uint8_t)counts[i], (uint8_t)(counts[i] >> 8)};
        for (uint32_t k = 0; k < counts[i]; k++) {
            bytes[2 + k] = (uint8_t)seed_next();
        }
        const bksi_blob blob = {.bytes = bytes,
                                .count = counts[i] > 0 ? 2 + counts[i] : 0,
                                .is_ahead = counts[i] > 0 && goes_ahead && seed_below(4) == 0};
        assert_true(bksi_rollback_admits(&engine, peer.first_player + i, &blob));
        bksi_rollback_append(&engine, peer.first_player + i, &neutral, &blob);
    }
    const bks_tick newest = bksi_rollback_head(&engine, peer.first_player) - 1;
    bksi_packed_sampled(&packed, &engine, &peer, newest, NULL);
}

static void append_some(void)
{
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        append((uint32_t[PLAYERS]){seed_below(6) == 0 ? 1 + seed_below(40) : 0,
                                   seed_below(9) == 0 ? 1 + seed_below(60) : 0});
    }
}

static void expect_blob(const bksi_blob *blob, uint32_t player, bks_tick tick)
{
    const bksi_blob given = bksi_packed_blob(&packed, player, tick);
    assert_int_equal(blob->count, given.count);
    assert_int_equal(blob->is_ahead, given.is_ahead);
    if (given.is_ahead) {
        assert_null(blob->bytes); // the lane has them
    } else {
        assert_memory_equal(blob->bytes, given.bytes, given.count);
    }
}

/// A blob of 65535 bytes that travels ahead takes a few bytes of a message.
static void a_blob_that_travels_ahead_has_only_its_size_in_a_message(void **state)
{
    (void)state;
    const bksi_blob blob = {.count = BKSI_BLOB_BYTES_MAX, .is_ahead = true};
    bksi_bit_writer writer = bksi_bit_writer_over(body, sizeof(body));
    bksi_blobs_write(&writer, &blob);
    assert_int_equal(writer.at_bits, 18);
    assert_in_range(writer.at_bits, 1, 8 * BKSI_BLOB_AHEAD_BYTES);
    bksi_bit_reader reader = bksi_bit_reader_over(body, 3);
    session_plain_blobs bytes = {0};
    const bksi_blob back = bksi_blobs_read(&reader, &bytes);
    assert_int_equal(back.count, BKSI_BLOB_BYTES_MAX);
    assert_true(back.is_ahead && !reader.failed && bytes.count == 0);
    memset(body, 255, 3); // 65536 bytes are too many
    reader = bksi_bit_reader_over(body, 3);
    (void)bksi_blobs_read(&reader, &bytes);
    assert_true(reader.failed);
}

static void coded_blobs_come_back_within_the_bits_that_were_counted(void **state)
{
    (void)state;
    begin();
    append_some();
    for (bks_tick first = 0; first < TICKS; first += 9) {
        const bks_tick last = first + (bks_tick)seed_below(9);
        const bks_tick until = last < TICKS ? last + 1 : TICKS;
        uint64_t plain_bits = 0;
        const uint64_t bits = bksi_blobs_bits(&packed, PLAYERS, first, until, &plain_bits);
        bksi_range_encoder encoder;
        bksi_range_encoder_init(&encoder, body, sizeof(body));
        bksi_blobs_encode(&packed, PLAYERS, first, until, &encoder);
        const size_t count = bksi_range_encoder_finish(&encoder);
        assert_true(count <= bits / 8 + 4);
        bksi_range_decoder decoder;
        session_coded_blobs coded;
        bksi_range_decoder_init(&decoder, body, count);
        const uint64_t places = (uint64_t)(until - first) * PLAYERS;
        if (bits > 8 * BKSI_CODED_BLOB_BYTES_MAX) {
            continue; // no message has room for as many
        }
        assert_true(bksi_blobs_decode(&decoder, places, &coded));
        for (bks_tick tick = first + (bks_tick)seed_below(2); tick < until; tick++) {
            bksi_blob blobs[PLAYERS];
            bksi_blobs_take(&coded, (uint32_t)(tick - first) * PLAYERS, PLAYERS, blobs);
            expect_blob(&blobs[0], 0, tick);
            expect_blob(&blobs[1], 1, tick);
        }
    }
    end();
}

static void plain_blobs_come_back_in_the_bits_that_were_counted(void **state)
{
    (void)state;
    begin();
    append_some();
    uint64_t counted = 0;
    (void)bksi_blobs_bits(&packed, PLAYERS, 0, TICKS, &counted);
    bksi_bit_writer writer = bksi_bit_writer_over(body, sizeof(body));
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        for (uint32_t i = 0; i < PLAYERS; i++) {
            const bksi_blob blob = bksi_packed_blob(&packed, i, tick);
            bksi_blobs_write(&writer, &blob);
        }
    }
    assert_int_equal(writer.at_bits, counted);
    bksi_bit_reader reader = bksi_bit_reader_over(body, bksi_bit_writer_bytes(&writer));
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        session_plain_blobs bytes = {0};
        for (uint32_t i = 0; i < PLAYERS; i++) {
            const bksi_blob blob = bksi_blobs_read(&reader, &bytes);
            expect_blob(&blob, i, tick);
        }
    }
    assert_false(reader.failed);
    end();
}

/// Our packed blobs of a tick are read by a peer that has taken all ticks before it.
static void packed_blobs_are_opened_in_the_order_of_ticks(void **state)
{
    (void)state;
    begin();
    session_packed other;
    assert_int_equal(bksi_packed_create(&other, 1 + PLAYERS, 1, 128, &engine.config.allocator),
                     BKS_OK);
    for (bks_tick tick = 0; tick < 4 * TICKS; tick++) { // the ring wraps several times
        append((uint32_t[PLAYERS]){seed_below(3) == 0 ? 1 + seed_below(20) : 0,
                                   tick % 100 == 0 ? LONGEST : 0});
        bksi_blob blobs[PLAYERS] = {bksi_packed_blob(&packed, 0, tick),
                                    bksi_packed_blob(&packed, 1, tick)};
        uint8_t bytes[BKSI_TICK_BLOB_BYTES_MAX];
        assert_true(bksi_packed_open(&other, &peer, blobs, sizeof(bytes), bytes));
        for (uint32_t i = 0; i < PLAYERS; i++) {
            const bksi_blob plain = bksi_rollback_blob(&engine, peer.first_player + i, tick);
            assert_int_equal(blobs[i].count, plain.count);
            assert_int_equal(blobs[i].is_ahead, plain.is_ahead);
            if (!plain.is_ahead) { // else the lane has the bytes
                assert_memory_equal(blobs[i].bytes, plain.bytes, plain.count);
            }
        }
    }
    goes_ahead = false;
    // Both players together have more bytes than are allowed. Then no later tick is opened.
    append((uint32_t[PLAYERS]){20, 20});
    bksi_blob blobs[PLAYERS] = {bksi_packed_blob(&packed, 0, 4 * TICKS),
                                bksi_packed_blob(&packed, 1, 4 * TICKS)};
    uint8_t bytes[43];
    assert_false(bksi_packed_open(&other, &peer, blobs, sizeof(bytes), bytes));
    bksi_blob none[PLAYERS] = {{0}};
    assert_false(bksi_packed_open(&other, &peer, none, sizeof(bytes), bytes));
    goes_ahead = true;
    bksi_packed_destroy(&other, &engine.config.allocator);
    end();
}

static void any_bytes_are_read_within_their_bounds(void **state)
{
    (void)state;
    uint32_t taken = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        const size_t count = seed_below(500);
        for (size_t i = 0; i < count; i++) {
            body[i] = (uint8_t)(seed_below(3) == 0 ? 255 : seed_next());
        }
        bksi_range_decoder decoder;
        session_coded_blobs coded;
        bksi_range_decoder_init(&decoder, body, count);
        const uint32_t places = 1 + seed_below(2000);
        if (bksi_blobs_decode(&decoder, places, &coded)) {
            taken += coded.count > 0;
            uint32_t used = 0;
            for (uint32_t i = 0; i < coded.count; i++) {
                assert_true(coded.blobs[i].place < places && coded.blobs[i].count > 0);
                assert_true(i == 0 || coded.blobs[i].place > coded.blobs[i - 1].place);
                assert_int_equal(coded.blobs[i].at, used);
                used += coded.blobs[i].is_ahead ? 0 : coded.blobs[i].count;
            }
            assert_in_range(used, 0, BKSI_CODED_BLOB_BYTES_MAX);
        }
        bksi_bit_reader reader = bksi_bit_reader_over(body, count);
        session_plain_blobs bytes = {0};
        for (uint32_t i = 0; i < PLAYERS; i++) {
            (void)bksi_blobs_read(&reader, &bytes);
            assert_in_range(bytes.count, 0, BKSI_TICK_BLOB_BYTES_MAX);
        }
    }
    assert_true(taken > 100);
}

/// Return true if a tick with plain blobs keeps its commands.
static bool are_both_admitted(bksi_blob first, bksi_blob second)
{
    bksi_blob blobs[PLAYERS] = {first, second};
    assert_true(bksi_blobs_open(&packed, &engine, &layout, &peer, blobs, true, NULL));
    return blobs[0].count > 0;
}

static bool are_admitted(const char *bytes, uint32_t count, uint32_t second_count)
{
    static const uint8_t other[2 + LONGEST] = {LONGEST & 255, LONGEST >> 8};
    return are_both_admitted((bksi_blob){.bytes = (const uint8_t *)bytes, .count = count},
                             (bksi_blob){.bytes = other, .count = second_count});
}

static void blobs_that_break_a_rule_are_not_admitted(void **state)
{
    (void)state;
    begin();
    assert_true(are_admitted("\1\0x", 3, 0));
    assert_true(are_admitted("\5\0xy", 4, 10));    // two commands go on in the next ticks
    assert_false(are_admitted("\0\0x", 3, 0));     // a command without bytes
    assert_false(are_admitted("\x2d\1xy", 4, 0));  // one that is longer than LONGEST
    assert_false(are_admitted("\1\0x\0\0", 5, 0)); // the same after a right one
    // Both players together have more bytes than a message has room for.
    static const char large[2 + LONGEST] = {LONGEST & 255, LONGEST >> 8};
    const uint32_t most = bksi_seats_blob_bytes(&layout, PLAYERS);
    assert_true(are_admitted(large, 2 + LONGEST, most - 2 - LONGEST));
    assert_false(are_admitted(large, 2 + LONGEST, most - 1 - LONGEST));
    // A blob that travels ahead counts as one byte of a message.
    const bksi_blob one = {.bytes = (const uint8_t *)large, .count = 2 + LONGEST};
    bksi_blob ahead = one;
    ahead.is_ahead = true;
    assert_false(are_both_admitted(one, one));
    assert_true(are_both_admitted(ahead, one));
    // The newest ticks have used up the room.
    for (uint32_t i = 0; i < ROOM / (2 + LONGEST); i++) {
        append((uint32_t[PLAYERS]){LONGEST, 0});
    }
    assert_false(are_admitted(large, 2 + LONGEST, 0));
    for (uint32_t i = 0; i < ROOM_TICKS; i++) {
        append((uint32_t[PLAYERS]){0, 0});
    }
    assert_true(are_admitted(large, 2 + LONGEST, 0));
    end();
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 31);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coded_blobs_come_back_within_the_bits_that_were_counted),
        cmocka_unit_test(plain_blobs_come_back_in_the_bits_that_were_counted),
        cmocka_unit_test(a_blob_that_travels_ahead_has_only_its_size_in_a_message),
        cmocka_unit_test(packed_blobs_are_opened_in_the_order_of_ticks),
        cmocka_unit_test(any_bytes_are_read_within_their_bounds),
        cmocka_unit_test(blobs_that_break_a_rule_are_not_admitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
