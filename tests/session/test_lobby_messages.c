// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "session/lobby/lobby_messages.h"
#include "wire/join.h"

static session_common common;
static session_start start;
static bksi_roster_message roster;

/// A match of two for four players, and a roster that has us in it as peer 1.
static void begin(void)
{
    memset(&common, 0, sizeof(common));
    common.now_ns = 5 * NS_PER_SECOND;
    common.config.local_players = 2;
    common.config.first_player = BKS_AUTO;
    common.config.nonce = 31;
    common.seats = (session_seats){
        .all = 0x3, .players = 4, .seed = 77, .first_tick = 50, .end_tick = 650, .hash_every = 1};
    common.seats.peers[0].player_count = 2;
    common.seats.peers[1] = (session_peer){.first_player = 2, .player_count = 2};
    memset(common.guard.identity, 9, BKSI_IDENTITY_BYTES);
    start = (session_start){.setup = {1, 2, 3}, .setup_bytes = 3, .is_made = true, .hash = 555};
    roster = (bksi_roster_message){.self = 1,
                                   .members = 3,
                                   .players = 4,
                                   .seed = 77,
                                   .first_tick = 50,
                                   .ticks = 600,
                                   .hash_every_ticks = 1,
                                   .setup = {1, 2, 3},
                                   .setup_bytes = 3};
    roster.peers[1] = (bksi_roster_peer){.first_player = 2, .player_count = 2};
    memset(roster.peers[1].identity, 9, BKSI_IDENTITY_BYTES);
}

static bool fits(void)
{
    return bksi_lobby_roster_fits(&common, &start, &roster);
}

static void a_roster_fits_that_has_us_in_it(void **state)
{
    (void)state;
    begin();
    assert_true(fits());
    roster.self = 0;
    assert_false(fits());
    begin();
    roster.peers[1].identity[3] = 0;
    assert_false(fits());
    begin();
    roster.peers[1].player_count = 1;
    assert_false(fits());
}

static void
a_roster_with_more_players_on_a_machine_than_a_packet_has_room_for_is_refused(void **state)
{
    (void)state;
    begin();
    common.layout.bits = BKSI_TICK_BITS_MAX / 2 - 1; // and a bit that says that the input changed
    assert_true(fits());
    common.layout.bits++;
    assert_false(fits());
}

static void what_the_state_was_made_from_cannot_change(void **state)
{
    (void)state;
    begin();
    roster.seed++;
    assert_false(fits());
    begin();
    roster.players++;
    assert_false(fits());
    begin();
    roster.ticks++;
    assert_false(fits());
    begin();
    roster.hash_every_ticks++;
    assert_false(fits());
    begin();
    roster.on_desync = BKS_ON_DESYNC_STOP;
    assert_false(fits());
    begin();
    roster.setup[2]++;
    assert_false(fits());
    begin();
    roster.setup_bytes--;
    assert_false(fits());
    start.is_made = false;
    assert_true(fits());
}

/// The roster that a host sends to peer 1.
static void send_roster(uint64_t start_ns)
{
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_lobby_write_roster(&common, &start, start_ns, 5, 1, &writer);
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, writer.at);
    assert_true(bksi_roster_read(&reader, &roster));
}

static void a_roster_says_how_far_the_host_is_and_when_it_begins(void **state)
{
    (void)state;
    begin();
    bksi_links_measured(&common.links, 1, 40e6);
    send_roster(0);
    assert_int_equal(roster.stage, BKSI_ROSTER_GATHERING);
    common.phase.stage = STAGE_LINKING;
    send_roster(0);
    assert_int_equal(roster.stage, BKSI_ROSTER_COMPLETE);
    assert_int_equal(roster.start_us, 0);
    start.is_unequal = true;
    send_roster(0);
    assert_int_equal(roster.stage, BKSI_ROSTER_UNEQUAL);
    common.phase.stage = STAGE_STARTING;
    send_roster(6 * NS_PER_SECOND);
    assert_int_equal(roster.stage, BKSI_ROSTER_GO);
    assert_int_equal(roster.start_us, 6000000);
    assert_int_equal(roster.go_delay_us, 980000); // the ROSTER is 20 ms on its way
    send_roster(5 * NS_PER_SECOND);
    assert_int_equal(roster.go_delay_us, 0);
    assert_int_equal(roster.self, 1);
    assert_int_equal(roster.seed, 77);
    assert_memory_equal(roster.setup, start.setup, 3);
}

static bksi_join join_of(bool is_ready)
{
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    common.compat.protocol = BKSI_PROTOCOL_VERSION;
    (void)strcpy(common.compat.game, "toy");
    bksi_lobby_write_join(&common, &start, is_ready, &writer);
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, writer.at);
    bksi_join join = {0};
    assert_true(bksi_join_read(&reader, &join));
    return join;
}

static void a_join_explains_the_state_only_where_it_is_asked_to(void **state)
{
    (void)state;
    begin();
    bksi_join join = join_of(false);
    assert_int_equal(join.nonce, 31);
    assert_int_equal(join.local_players, 2);
    assert_int_equal(join.first_player, -1);
    assert_int_equal(join.ready, BKSI_NOT_READY);
    start.has_parts = true;
    start.parts = (bksi_parts){.count = 1, .hashes = {7}};
    join = join_of(true);
    assert_int_equal(join.ready, BKSI_READY);
    assert_int_equal(join.start_hash, 555);
    start.is_unequal = true;
    join = join_of(true);
    assert_int_equal(join.ready, BKSI_EXPLAINS);
    assert_int_equal(join.parts.hashes[0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_roster_fits_that_has_us_in_it),
        cmocka_unit_test(
            a_roster_with_more_players_on_a_machine_than_a_packet_has_room_for_is_refused),
        cmocka_unit_test(what_the_state_was_made_from_cannot_change),
        cmocka_unit_test(a_roster_says_how_far_the_host_is_and_when_it_begins),
        cmocka_unit_test(a_join_explains_the_state_only_where_it_is_asked_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
