// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "session/common/seats.h"

static bksi_guard guard;
static session_seats seats;

static bks_address address_of(uint8_t number)
{
    return (bks_address){.length = 1, .bytes = {number}};
}

/// The channel to a guest whose identity and address are this number.
static bksi_channel channel_to(uint8_t number)
{
    uint8_t identity[BKSI_IDENTITY_BYTES];
    memset(identity, number, sizeof(identity));
    const bks_address address = address_of(number);
    return bksi_guard_bind(&guard, &address, identity, false);
}

static void host(uint32_t players)
{
    memset(&guard, 0, sizeof(guard));
    guard.channel_count = BKSI_CHANNELS;
    seats = (session_seats){0};
    const bks_session_config config = {.is_host = true,
                                       .local_players = 1,
                                       .players = players,
                                       .seed = 99,
                                       .first_tick = 200,
                                       .ticks = 600,
                                       .tick_rate_hz = 60,
                                       .tuning = {.hash_every_ticks = BKS_AUTO}};
    bksi_seats_init(&seats, &guard, &config);
}

static uint32_t insert(uint8_t number, uint32_t first_player, uint32_t count)
{
    const bksi_join join = {.nonce = number, .local_players = count, .build = 5};
    return bksi_seats_insert(&seats, &guard, first_player, channel_to(number), &join);
}

static void a_host_has_the_first_seats_and_says_what_is_played(void **state)
{
    (void)state;
    host(4);
    assert_int_equal(seats.all, 1);
    assert_int_equal(seats.self, 0);
    assert_int_equal(bksi_seats_taken(&seats), 1);
    assert_int_equal(seats.players, 4);
    assert_int_equal(seats.seed, 99);
    assert_int_equal(seats.first_tick, 200);
    assert_int_equal(seats.end_tick, 800);
    assert_int_equal(bksi_seats_ticks(&seats), 600);
    assert_int_equal(seats.hash_every, 60); // lockstep: once a second
}

static void free_seats_are_found_between_the_taken_ones(void **state)
{
    (void)state;
    host(6);
    assert_int_equal(insert(7, 3, 1), 1);
    assert_int_equal(bksi_seats_free(&seats, 1, -1), 1);
    assert_int_equal(bksi_seats_free(&seats, 2, -1), 1);
    assert_int_equal(bksi_seats_free(&seats, 3, -1), -1);
    assert_int_equal(bksi_seats_free(&seats, 2, 4), 4);
    assert_int_equal(bksi_seats_free(&seats, 2, 5), -1);
    assert_int_equal(bksi_seats_free(&seats, 1, 3), -1);
    assert_int_equal(bksi_seats_free(&seats, 1, 0), -1);
    assert_int_equal(bksi_seats_taken(&seats), 2);
}

static void a_number_is_the_lowest_free_one_and_stays(void **state)
{
    (void)state;
    host(6);
    assert_int_equal(insert(7, 3, 1), 1);
    assert_int_equal(insert(8, 1, 2), 2);
    assert_int_equal(insert(9, 4, 1), 3);
    assert_int_equal(seats.all, 0xf);
    assert_int_equal(bksi_seats_others(&seats), 0xe);
    assert_int_equal(seats.peers[2].nonce, 8);
    assert_int_equal(seats.peers[2].player_count, 2);
    assert_int_equal(seats.peers[2].build, 5);
    assert_int_equal(seats.peers[2].identity[0], 8);
    assert_int_equal(seats.peers[1].first_player, 3);
    assert_int_equal(bksi_seats_peer(&seats, seats.peers[2].channel), 2);
    assert_int_equal(bksi_seats_peer(&seats, 0), BKS_PEERS_MAX); // our own is none
    const uint32_t joined = seats.peers[1].joined;
    bksi_seats_remove(&seats, 1);
    assert_int_equal(seats.all, 0xd);
    assert_int_equal(bksi_seats_end(&seats), 4);
    assert_int_equal(seats.peers[2].nonce, 8);
    assert_int_equal(bksi_seats_taken(&seats), 4);
    assert_int_equal(bksi_seats_free(&seats, 1, 3), 3);
    assert_int_equal(insert(10, 5, 1), 1); // given again, to another one
    assert_true(seats.peers[1].joined != joined);
    assert_int_equal(seats.peers[1].nonce, 10);
    bksi_seats_remove(&seats, 3);
    assert_int_equal(bksi_seats_end(&seats), 3);
}

static void a_number_may_be_kept_for_a_seat(void **state)
{
    (void)state;
    host(6);
    bksi_seats_reserve(&seats, 1, 5);
    bksi_seats_reserve(&seats, 2, 5);
    assert_int_equal(insert(7, 1, 1), 5);
    assert_int_equal(insert(8, 2, 1), 1);
    assert_int_equal(insert(9, 3, 1), 2);
    assert_int_equal(seats.all, 0x27);
    assert_int_equal(bksi_seats_end(&seats), 6);
}

static void give_seat(bksi_roster_message *roster, uint32_t number, uint8_t address)
{
    roster->members |= 1u << number;
    roster->peers[number] = (bksi_roster_peer){
        .first_player = number, .player_count = 1, .address = address_of(address)};
    memset(roster->peers[number].identity, address, BKSI_IDENTITY_BYTES);
}

static void a_guest_takes_the_seats_of_a_roster(void **state)
{
    (void)state;
    memset(&guard, 0, sizeof(guard));
    guard.channel_count = BKSI_CHANNELS;
    seats = (session_seats){0};
    const bks_session_config config = {.host = address_of(1)};
    bksi_seats_init(&seats, &guard, &config);
    assert_int_equal(seats.self, 1);
    const bksi_channel to_host = seats.peers[0].channel;
    assert_true(to_host != 0);
    bksi_roster_message roster = {.self = 2,
                                  .players = 6,
                                  .seed = 99,
                                  .build = 5,
                                  .first_tick = 200,
                                  .ticks = 600,
                                  .hash_every_ticks = 3,
                                  .on_desync = BKS_ON_DESYNC_STOP};
    for (uint32_t i = 0; i < 4; i++) {
        give_seat(&roster, i, (uint8_t)(i + 1));
    }
    assert_int_equal(bksi_seats_find_new(&seats, &roster), 0xe);
    bksi_seats_take(&seats, &guard, &roster);
    assert_int_equal(bksi_seats_find_new(&seats, &roster), 0);
    assert_int_equal(seats.self, 2);
    assert_int_equal(seats.players, 6);
    assert_int_equal(seats.seed, 99);
    assert_int_equal(seats.first_tick, 200);
    assert_int_equal(seats.end_tick, 800);
    assert_int_equal(seats.hash_every, 3);
    assert_int_equal(seats.on_desync, BKS_ON_DESYNC_STOP);
    assert_int_equal(seats.peers[0].build, 5);
    assert_int_equal(seats.peers[0].channel, to_host);
    assert_int_equal(seats.peers[3].first_player, 3);
    assert_true(seats.peers[2].channel == 0);
    const bksi_channel kept = seats.peers[3].channel, gone = seats.peers[1].channel;
    assert_int_equal(bksi_guard_address(&guard, gone).bytes[0], 2);

    roster.members = 0xd; // 1 has left, 5 has joined
    give_seat(&roster, 5, 9);
    assert_int_equal(bksi_seats_find_new(&seats, &roster), 0x20);
    bksi_seats_take(&seats, &guard, &roster);
    assert_int_equal(seats.all, 0x2d);
    assert_int_equal(seats.self, 2);
    assert_int_equal(seats.peers[1].player_count, 0);
    assert_int_equal(bksi_guard_address(&guard, gone).length, 0);
    assert_int_equal(bksi_guard_address(&guard, kept).bytes[0], 4);
    assert_int_equal(bksi_seats_peer(&seats, kept), 3);
    roster.peers[3].joined = 7; // the same player, started again
    assert_int_equal(bksi_seats_find_new(&seats, &roster), 0x8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_has_the_first_seats_and_says_what_is_played),
        cmocka_unit_test(free_seats_are_found_between_the_taken_ones),
        cmocka_unit_test(a_number_is_the_lowest_free_one_and_stays),
        cmocka_unit_test(a_number_may_be_kept_for_a_seat),
        cmocka_unit_test(a_guest_takes_the_seats_of_a_roster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
