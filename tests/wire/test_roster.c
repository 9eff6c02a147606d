// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bits.h"
#include "support/seed.h"
#include "wire/packet.h"
#include "wire/roster.h"
#include "wire/wire_bytes.h"

static bksi_roster_message golden_roster(void)
{
    bksi_roster_message roster = {
        .stage = BKSI_ROSTER_GO,
        .change = 9,
        .self = 2,
        .members = 5,
        .players = 3,
        .seed = UINT64_C(0x0102030405060708),
        .build = UINT64_C(0xB1B2B3B4B5B6B7B8),
        .first_tick = 200,
        .ticks = 600,
        .hash_every_ticks = 1,
        .window = 20,
        .guest_pauses = 3,
        .start_us = 0xFEDCBA98,
        .go_delay_us = 25000,
        .setup = {1, 1, 'x'},
        .setup_bytes = 3,
    };
    roster.peers[0] = (bksi_roster_peer){.first_player = 2, .player_count = 1, .identity = {11}};
    roster.peers[2] = (bksi_roster_peer){
        .joined = 4,
        .first_player = 0,
        .player_count = 2,
        .identity = {12, 13},
        .address = {.length = 6, .bytes = {192, 0, 2, 7, 0x1e, 0x61}},
    };
    return roster;
}

static size_t write_roster(const bksi_roster_message *roster, uint8_t *bytes)
{
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, BKSI_BODY_BYTES_MAX);
    bksi_roster_write(&writer, roster);
    assert_false(writer.failed);
    return writer.at;
}

static bool read_roster(const uint8_t *bytes, size_t count, bksi_roster_message *roster)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_byte_reader reader = bksi_byte_reader_over(copy, count);
    bool is_ok = bksi_roster_read(&reader, roster);
    free(copy);
    return is_ok;
}

/// Write and read a roster, and check that it is unchanged.
static bool is_taken(const bksi_roster_message *roster)
{
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    bksi_roster_message back;
    return read_roster(bytes, write_roster(roster, bytes), &back);
}

static void roster_is_its_golden_bytes(void **context)
{
    (void)context;
    bksi_roster_message roster = golden_roster();
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_roster(&roster, bytes);
    assert_bytes(bytes, count,
                 "2a090000001a05030807060504030201b8b7b6b5b4b3b2b1c800000058020000010098badcfe"
                 "a861000000020b00000000000000000000000000000000"
                 "04100c0d000000000000000000000000000006c00002071e61"
                 "0300010178");
}

static uint32_t count_of(uint32_t mask)
{
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

static bksi_roster_message random_roster(void)
{
    bksi_roster_message roster = {
        .stage = (bksi_roster_stage)(1 + seed_below(3)),
        .members = 1 | seed_below(1u << BKS_PEERS_MAX),
        .change = (uint32_t)seed_next(),
        .seed = seed_next(),
        .build = seed_next(),
        .first_tick = (bks_tick)seed_below(BKS_FIRST_TICK_MAX),
        .ticks = (bks_tick)seed_below(INT32_MAX - BKS_FIRST_TICK_MAX),
        .hash_every_ticks = 1 + seed_below(1000),
        .on_desync = (bks_on_desync)seed_below(3),
        .window = 2 * seed_below(BKS_WINDOW_MAX / 2 + 1),
        .guest_pauses = seed_below(BKS_GUEST_PAUSES_MAX + 1),
        .start_us = (uint32_t)seed_next(),
        .go_delay_us = seed_below(10000001),
        .setup_bytes = seed_below(BKS_SETUP_BYTES_MAX + 1),
    };
    uint32_t left = count_of(roster.members);
    uint32_t rest = roster.members;
    while (left-- > 0) {
        uint32_t i = seed_below(BKS_PEERS_MAX); // seats are in no order
        while ((rest >> i & 1) == 0) {
            i = (i + 1) % BKS_PEERS_MAX;
        }
        rest &= ~(1u << i);
        roster.self = i;
        bksi_roster_peer *peer = &roster.peers[i];
        peer->joined = seed_below(256);
        peer->first_player = roster.players;
        peer->player_count = 1 + seed_below(BKS_PLAYERS_MAX - left - roster.players);
        for (size_t b = 0; b < sizeof(peer->identity); b++) {
            peer->identity[b] = (uint8_t)seed_next();
        }
        peer->address.length = i > 0 ? (uint8_t)seed_below(BKS_ADDRESS_BYTES_MAX + 1) : 0;
        for (uint32_t b = 0; b < peer->address.length; b++) {
            peer->address.bytes[b] = (uint8_t)seed_next();
        }
        roster.players += peer->player_count;
    }
    for (size_t i = 0; i < roster.setup_bytes; i++) {
        roster.setup[i] = (uint8_t)seed_next();
    }
    return roster;
}

static void roster_comes_back_as_it_was(void **context)
{
    (void)context;
    for (int round = 0; round < 2000; round++) {
        bksi_roster_message roster = random_roster();
        uint8_t bytes[BKSI_BODY_BYTES_MAX];
        size_t count = write_roster(&roster, bytes);
        bksi_roster_message back;
        memset(&back, 0xa5, sizeof(back));
        assert_true(read_roster(bytes, count, &back));
        assert_int_equal(back.stage, roster.stage);
        assert_int_equal(back.window, roster.window);
        assert_int_equal(back.guest_pauses, roster.guest_pauses);
        assert_int_equal(back.change, roster.change);
        assert_int_equal(back.self, roster.self);
        assert_int_equal(back.players, roster.players);
        assert_true(back.seed == roster.seed);
        assert_int_equal(back.first_tick, roster.first_tick);
        assert_int_equal(back.ticks, roster.ticks);
        assert_int_equal(back.hash_every_ticks, roster.hash_every_ticks);
        assert_int_equal(back.on_desync, roster.on_desync);
        assert_int_equal(back.start_us, roster.start_us);
        assert_int_equal(back.go_delay_us, roster.go_delay_us);
        assert_int_equal(back.setup_bytes, roster.setup_bytes);
        assert_memory_equal(back.setup, roster.setup, sizeof(roster.setup[0]) * roster.setup_bytes);
        assert_int_equal(back.members, roster.members);
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            if ((roster.members >> i & 1) == 0) {
                continue;
            }
            assert_int_equal(back.peers[i].joined, roster.peers[i].joined);
            assert_int_equal(back.peers[i].first_player, roster.peers[i].first_player);
            assert_int_equal(back.peers[i].player_count, roster.peers[i].player_count);
            assert_memory_equal(back.peers[i].identity, roster.peers[i].identity,
                                BKSI_ROSTER_IDENTITY_BYTES);
            assert_memory_equal(&back.peers[i].address, &roster.peers[i].address,
                                sizeof(bks_address));
        }
    }
}

static void the_largest_roster_fits_a_packet(void **context)
{
    (void)context;
    bksi_roster_message roster = {.stage = BKSI_ROSTER_GO,
                                  .members = 0xff,
                                  .players = BKS_PEERS_MAX,
                                  .hash_every_ticks = 1,
                                  .setup_bytes = BKS_SETUP_BYTES_MAX};
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        roster.peers[i] = (bksi_roster_peer){
            .first_player = i,
            .player_count = 1,
            .address = {.length = i > 0 ? BKS_ADDRESS_BYTES_MAX : 0}}; // the host's is nowhere
    }
    assert_true(is_taken(&roster));
}

static void roster_of_any_other_length_is_refused(void **context)
{
    (void)context;
    bksi_roster_message roster = golden_roster();
    uint8_t bytes[BKSI_BODY_BYTES_MAX] = {0};
    size_t right = write_roster(&roster, bytes);
    for (size_t count = 0; count <= right + 20; count++) {
        assert_int_equal(read_roster(bytes, count, &roster), count == right);
    }
}

static void seats_must_not_overlap_and_be_full_once_complete(void **context)
{
    (void)context;
    bksi_roster_message roster = golden_roster();
    assert_true(is_taken(&roster));
    roster.peers[2].first_player = 1; // on the host's seat
    assert_false(is_taken(&roster));
    roster.peers[2].first_player = 3; // beyond the last
    assert_false(is_taken(&roster));
    roster = golden_roster();
    roster.peers[2].player_count = 16;
    assert_false(is_taken(&roster));
    roster = golden_roster();
    roster.players = 4; // one seat is free
    assert_false(is_taken(&roster));
    roster.stage = BKSI_ROSTER_COMPLETE;
    assert_false(is_taken(&roster));
    roster.stage = BKSI_ROSTER_GATHERING;
    assert_true(is_taken(&roster));
}

/// Set one byte of the golden roster to each value: only values in a range may be accepted.
static void assert_byte_range(size_t at, uint32_t least, uint32_t greatest)
{
    bksi_roster_message roster = golden_roster();
    roster.stage = BKSI_ROSTER_GATHERING;
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_roster(&roster, bytes);
    for (uint32_t value = 0; value < 256; value++) {
        bytes[at] = (uint8_t)value;
        assert_int_equal(read_roster(bytes, count, &roster), value >= least && value <= greatest);
    }
}

static void numbers_out_of_range_are_refused(void **context)
{
    (void)context;
    assert_byte_range(6, 5, 5);    // other peers are without us, or do not fit the bytes
    assert_byte_range(27, 0, 63);  // the first tick up to BKS_FIRST_TICK_MAX
    assert_byte_range(31, 0, 127); // ticks up to INT32_MAX
    assert_byte_range(41, 0, 0);   // the start within ten seconds
    bksi_roster_message roster = golden_roster();
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_roster(&roster, bytes);
    for (uint32_t self = 0; self < 256; self++) {
        bytes[5] = (uint8_t)self; // and guest_pauses above it
        assert_int_equal(read_roster(bytes, count, &roster), self % 8 == 0 || self % 8 == 2);
    }
    roster = golden_roster();
    roster.stage = BKSI_ROSTER_GATHERING;
    count = write_roster(&roster, bytes);
    for (uint32_t value = 0; value < 256; value++) { // players, and what a difference does
        bytes[7] = (uint8_t)value;
        assert_int_equal(read_roster(bytes, count, &roster),
                         value % 32 >= 3 && value % 32 <= 16 && value / 32 <= 2);
    }
    roster = golden_roster();
    roster.go_delay_us = 10000000;
    assert_true(is_taken(&roster));
    roster.go_delay_us++;
    assert_false(is_taken(&roster));
    roster = golden_roster();
    roster.first_tick = BKS_FIRST_TICK_MAX;
    roster.ticks = INT32_MAX - BKS_FIRST_TICK_MAX;
    assert_true(is_taken(&roster));
    roster.ticks++;
    assert_false(is_taken(&roster));
    roster = golden_roster();
    roster.hash_every_ticks = 0;
    assert_false(is_taken(&roster));
    roster.hash_every_ticks = 1000;
    assert_true(is_taken(&roster));
    roster.hash_every_ticks = 1001;
    assert_false(is_taken(&roster));
    roster = golden_roster();
    roster.on_desync = BKS_ON_DESYNC_STOP;
    assert_true(is_taken(&roster));
    roster.on_desync = (bks_on_desync)3;
    assert_false(is_taken(&roster));
}

static void windows_beyond_the_longest_are_refused(void **context)
{
    (void)context;
    bksi_roster_message roster = golden_roster();
    uint8_t bytes[BKSI_BODY_BYTES_MAX];
    size_t count = write_roster(&roster, bytes);
    for (uint32_t byte = 0; byte < 256; byte++) {
        bytes[0] = (uint8_t)byte;
        assert_int_equal(read_roster(bytes, count, &roster), byte >> 2 <= BKS_WINDOW_MAX / 2);
    }
}

static void addresses_and_setups_that_are_too_long_are_refused(void **context)
{
    (void)context;
    bksi_roster_message roster = golden_roster();
    uint8_t bytes[BKSI_BODY_BYTES_MAX] = {0};
    size_t count = write_roster(&roster, bytes);
    // Provide the bytes that a wrong length claims, so that the length alone is wrong.
    size_t length_at = 42 + 19 + 18;
    for (uint8_t length = BKS_ADDRESS_BYTES_MAX; length <= BKS_ADDRESS_BYTES_MAX + 1; length++) {
        uint8_t longer[BKSI_BODY_BYTES_MAX] = {0};
        size_t more = (size_t)length - 6;
        memcpy(longer, bytes, length_at + 1 + 6);
        memcpy(longer + length_at + 1 + length, bytes + length_at + 1 + 6,
               count - length_at - 1 - 6);
        longer[length_at] = length;
        assert_int_equal(read_roster(longer, count + more, &roster),
                         length == BKS_ADDRESS_BYTES_MAX);
    }
    size_t at = count - 5;
    bksi_put_u16(bytes + at, BKS_SETUP_BYTES_MAX);
    assert_true(read_roster(bytes, at + 2 + BKS_SETUP_BYTES_MAX, &roster));
    bksi_put_u16(bytes + at, BKS_SETUP_BYTES_MAX + 1);
    assert_false(read_roster(bytes, at + 2 + BKS_SETUP_BYTES_MAX + 1, &roster));
}

static void mutated_rosters_stay_within_their_bounds(void **context)
{
    (void)context;
    uint32_t taken = 0;
    for (int round = 0; round < 20000; round++) {
        bksi_roster_message roster = random_roster();
        uint8_t bytes[BKSI_BODY_BYTES_MAX];
        size_t count = write_roster(&roster, bytes);
        uint32_t flips = 1 + seed_below(4);
        for (uint32_t i = 0; i < flips; i++) {
            bytes[seed_below((uint32_t)(count < 60 ? count : 60))] ^=
                (uint8_t)(1u << seed_below(8));
        }
        count = seed_below(8) == 0 ? seed_below((uint32_t)count + 1) : count;
        if (!read_roster(bytes, count, &roster)) {
            continue;
        }
        taken++;
        assert_in_range(roster.players, 1, BKS_PLAYERS_MAX);
        assert_true((roster.members & 1) != 0);
        assert_true((roster.members >> roster.self & 1) != 0);
        assert_true(roster.setup_bytes <= BKS_SETUP_BYTES_MAX);
        for (uint32_t left = roster.members; left != 0; left &= left - 1) {
            const bksi_roster_peer *peer = &roster.peers[bksi_lowest_bit(left)];
            assert_true(peer->first_player + peer->player_count <= roster.players);
            assert_true(peer->address.length <= BKS_ADDRESS_BYTES_MAX);
        }
    }
    assert_true(taken > 100); // or the mutations are too coarse to say anything
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roster_is_its_golden_bytes),
        cmocka_unit_test(roster_comes_back_as_it_was),
        cmocka_unit_test(the_largest_roster_fits_a_packet),
        cmocka_unit_test(roster_of_any_other_length_is_refused),
        cmocka_unit_test(seats_must_not_overlap_and_be_full_once_complete),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(windows_beyond_the_longest_are_refused),
        cmocka_unit_test(addresses_and_setups_that_are_too_long_are_refused),
        cmocka_unit_test(mutated_rosters_stay_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
