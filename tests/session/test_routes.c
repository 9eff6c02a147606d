// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/inputs/routes.h"

#define TICK_NS (16 * NS_PER_MS)

static session_common common;
static session_routes routes;

/// Peer 1 of four.
static void begin(void)
{
    common = (session_common){.now_ns = 10 * NS_PER_SECOND};
    common.guard.channel_count = BKSI_CHANNELS;
    common.seats = (session_seats){.all = 0xf, .self = 1};
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    bksi_phase_enter(&common.phase, STAGE_LINKING);
    routes = (session_routes){0};
    bksi_routes_update(&routes, &common);
}

/// Behaviour of a peer in a tick.
typedef struct peer_acts {
    bool is_heard;
    bool echoes;
} peer_acts;

static peer_acts acts[BKS_PEERS_MAX];

/// The mask by which messages.c looks for HEARS is that of the peers that are owed some.
static void expect_mask_of_words(void)
{
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        wanted |= routes.peers[i].hears_owed > 0 ? PEER_BIT(i) : 0;
    }
    assert_int_equal(routes.owes_hears, wanted);
}

static void run(uint32_t ticks)
{
    for (uint32_t k = 0; k < ticks; k++) {
        common.now_ns += TICK_NS;
        EACH_PEER (i, common.seats.all) {
            if (i == common.seats.self) {
                continue;
            }
            if (acts[i].is_heard) {
                bksi_routes_heard(&routes, &common, i, 0);
            }
            if (acts[i].echoes) {
                bksi_routes_echoed(&routes, &common, i, bksi_paths_id(&routes.paths, i));
            }
        }
        bksi_routes_update(&routes, &common);
        expect_mask_of_words();
    }
}

static void set_acts(uint32_t peer, bool is_heard, bool echoes)
{
    acts[peer] = (peer_acts){is_heard, echoes};
}

/// All is measured and has been heard for a second.
static void begin_well(void)
{
    begin();
    bksi_phase_enter(&common.phase, STAGE_STARTING);
    bksi_phase_enter(&common.phase, STAGE_RUNNING);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bksi_links_measured(&common.links, i, 40e6);
        set_acts(i, true, true);
    }
    run(60);
}

static session_route way_to(uint32_t peer)
{
    return bksi_routes_to(&routes, &common, peer);
}

static uint32_t take_words(uint32_t peer, bksi_hears *message)
{
    uint32_t count = 0;
    while (bksi_routes_owe_hears(&routes, &common, peer)) {
        uint8_t bytes[64];
        bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
        (void)bksi_routes_write_hears(&routes, &common, peer, &writer);
        bksi_bit_reader reader = bksi_bit_reader_over(bytes, bksi_bit_writer_bytes(&writer));
        assert_true(bksi_hears_read(&reader, message));
        expect_mask_of_words();
        count++;
    }
    return count;
}

static void hear_word(uint32_t from, const bksi_hears *message)
{
    uint8_t bytes[64];
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
    bksi_hears_write(&writer, message);
    bksi_bit_reader reader = bksi_bit_reader_over(bytes, bksi_bit_writer_bytes(&writer));
    assert_true(bksi_routes_receive_hears(&routes, &common, from, &reader));
    expect_mask_of_words();
}

static void before_a_link_is_measured_all_go_straight(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        set_acts(i, false, false);
    }
    run(600);
    assert_int_equal(way_to(2).route.carriers, 0);
    // Now it counts: three trips of 40 ms are less than the least, so 450 ms.
    bksi_links_measured(&common.links, 0, 40e6);
    set_acts(0, true, true);
    run(25);
    assert_int_equal(way_to(2).route.carriers, 0);
    run(6);
    assert_int_equal(way_to(2).route.carriers, 1);
    assert_int_equal(way_to(0).route.carriers, 0);
}

static void far_links_are_given_three_times_the_longest_trip(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        set_acts(i, i == 0, i == 0);
    }
    bksi_links_measured(&common.links, 0, 2000e6);
    run(380);
    assert_int_equal(way_to(2).route.carriers, 0);
    run(10);
    assert_int_equal(way_to(2).route.carriers, 1);
}

static void a_link_message_that_echoes_keeps_the_way_it_took(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        set_acts(i, i == 0, i == 0);
    }
    bksi_links_measured(&common.links, 0, 40e6);
    run(1);
    for (uint32_t k = 0; k < 8; k++) {
        const bksi_link_message echo = {.has_echo = true,
                                        .echo_us = bksi_common_now_us(&common) - 10000};
        bksi_routes_heard(&routes, &common, 2, 0);
        bksi_routes_linked(&routes, &common, 2, &echo, true);
        bksi_routes_linked(&routes, &common, 3, &(bksi_link_message){0}, true);
        run(5);
    }
    assert_int_equal(way_to(2).route.carriers, 0);
    assert_int_equal(way_to(3).route.carriers, 1);
    // An echo of what went before the way was taken says nothing of it.
    const bksi_link_message old = {.has_echo = true,
                                   .echo_us = bksi_common_now_us(&common) - 3900000};
    const uint32_t id = way_to(3).id;
    for (uint32_t k = 0; k < 40; k++) {
        bksi_routes_linked(&routes, &common, 3, &old, true);
        run(5);
    }
    assert_int_not_equal(way_to(3).id, id);
}

/// Peer 2 is 600 ms away and that is not known yet, so its way is left after 450 ms.
static void a_far_peer_is_reached_straight_again_once_it_echoes(void **state)
{
    (void)state;
    for (uint32_t is_carried = 0; is_carried < 2; is_carried++) {
        begin();
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            set_acts(i, i != 2, i != 2);
        }
        bksi_links_measured(&common.links, 0, 40e6);
        run(37);
        assert_int_equal(way_to(2).route.carriers, 1);
        const bksi_link_message echo = {.has_echo = true,
                                        .echo_us = bksi_common_now_us(&common) - 580000};
        bksi_links_measured(&common.links, 2, 600e6);
        bksi_routes_linked(&routes, &common, 2, &echo, is_carried == 0);
        assert_int_equal(way_to(2).route.carriers, is_carried);
        run(10);
        assert_int_equal(way_to(2).route.carriers, is_carried);
    }
}

/// The assumed round trip stays until an echo measures it: our call took so long, so a round trip
/// may.
static void a_far_peer_that_answered_a_call_stays_straight_until_it_is_measured(void **state)
{
    (void)state;
    begin();
    const bks_address address = {.length = 1, .bytes = {2}};
    common.seats.peers[2].channel = bksi_guard_bind(&common.guard, &address, NULL, true);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        set_acts(i, i != 2, i != 2);
    }
    bksi_links_measured(&common.links, 0, 40e6);
    run(37);
    assert_int_equal(way_to(2).route.carriers, 1);
    bksi_guard_channel_of(&common.guard, common.seats.peers[2].channel)->answer_took_ns =
        600 * NS_PER_MS;
    const bksi_link_message echo = {.has_echo = true,
                                    .echo_us = bksi_common_now_us(&common) - 580000};
    bksi_routes_linked(&routes, &common, 2, &echo, true);
    run(38); // 608 ms
    assert_int_equal(way_to(2).route.carriers, 0);
}

static void a_peer_that_is_missed_is_sent_to_through_another(void **state)
{
    (void)state;
    begin_well();
    assert_int_equal(way_to(2).route.carriers, 0);
    set_acts(2, false, false);
    run(6);
    assert_int_equal(way_to(2).route.carriers, 0);
    run(3);
    assert_int_equal(way_to(2).route.carriers, 1);
    session_route chosen;
    uint32_t probes = 0;
    for (uint32_t k = 0; k < 63; k++) {
        acts[2].echoes = true; // by the detour
        run(1);
        if (bksi_routes_probe(&routes, &common, 2, &chosen.route, &chosen.id)) {
            assert_int_equal(chosen.route.carriers, 0);
            assert_int_not_equal(chosen.id, way_to(2).id);
            bksi_routes_echoed(&routes, &common, 2, chosen.id);
            probes++;
        }
    }
    assert_in_range(probes, 7, 8);
}

static void while_we_stood_still_no_peer_was_missed(void **state)
{
    (void)state;
    begin_well();
    common.now_ns += 5 * NS_PER_SECOND;
    bksi_routes_update(&routes, &common);
    EACH_PEER (i, common.seats.all) {
        assert_int_equal(way_to(i).route.carriers, 0);
    }
    run(60);
    assert_int_equal(routes.paths.peers[2].changes, 0);
}

static void no_word_goes_while_all_is_well(void **state)
{
    (void)state;
    begin_well();
    bksi_hears message;
    for (uint32_t k = 0; k < 300; k++) {
        run(1);
        assert_int_equal(
            take_words(0, &message) + take_words(2, &message) + take_words(3, &message), 0);
    }
}

static void a_change_is_sent_three_times_and_then_once_a_second(void **state)
{
    (void)state;
    begin_well();
    acts[2].is_heard = false;
    bksi_hears message = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < 62; k++) {
        run(1);
        count += take_words(0, &message);
    }
    assert_int_equal(count, 3);
    assert_int_equal(message.of[1].hears, 0xB);
    assert_true(message.of[1].is_there);
    assert_false(message.of[0].is_there);
    for (uint32_t k = 0; k < 313; k++) {
        run(1);
        count += take_words(0, &message);
    }
    assert_in_range(count, 3 + 4, 3 + 6);
    // Once it is well again that is sent, too, and no more.
    acts[2].is_heard = true;
    run(60);
    count = 0;
    for (uint32_t k = 0; k < 200; k++) {
        run(1);
        count += take_words(0, &message);
    }
    assert_in_range(count, 1, 3);
    assert_int_equal(message.of[1].hears, 0xF);
}

/// A peer may not know why the way to it failed; what was said last may have been lost on it.
static void what_masks_say_goes_by_a_new_way_at_once(void **state)
{
    (void)state;
    begin_well();
    const bksi_hears said = {.of = {[3] = {true, 9, 0xB}}};
    hear_word(3, &said);
    bksi_hears message = {0};
    for (uint32_t k = 0; k < 20; k++) {
        run(1);
        (void)take_words(0, &message);
        (void)take_words(2, &message);
    }
    acts[2].echoes = false; // all that comes still comes straight
    uint32_t ticks = 0;
    for (; way_to(2).route.carriers == 0; ticks++) {
        assert_int_equal(take_words(2, &message), 0);
        assert_true(ticks < 40);
        run(1);
    }
    uint32_t straight = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < 10; k++) {
        while (bksi_routes_owe_hears(&routes, &common, 2)) {
            uint8_t bytes[64];
            bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
            straight += bksi_routes_write_hears(&routes, &common, 2, &writer) ? 1 : 0;
            count++;
        }
        assert_int_equal(take_words(0, &message), 0);
        run(1);
    }
    assert_int_equal(count, 3);
    assert_in_range(straight, 1, 2); // once more by the new route
}

static void what_a_peer_says_of_itself_is_passed_on(void **state)
{
    (void)state;
    begin_well();
    const bksi_hears said = {.of = {[2] = {true, 9, 0x6}}};
    hear_word(2, &said);
    run(1);
    bksi_hears message = {0};
    assert_int_equal(take_words(0, &message), 1);
    assert_true(message.of[2].is_there);
    assert_int_equal(message.of[2].number, 9);
    assert_int_equal(message.of[2].hears, 0x6);
    assert_true(message.of[1].is_there);
    assert_int_equal(message.of[1].hears, 0xF);
}

static void an_old_word_of_ours_is_put_right(void **state)
{
    (void)state;
    begin_well();
    bksi_hears message = {0};
    const uint16_t number = routes.paths.reports[1].number;
    const bksi_hears right = {.of = {[1] = {true, number, 0xF}}};
    hear_word(3, &right);
    run(1);
    assert_int_equal(take_words(3, &message), 0);
    const bksi_hears wrong = {.of = {[1] = {true, (uint16_t)(number - 1), 0x3}}};
    hear_word(3, &wrong);
    run(1);
    assert_int_equal(take_words(3, &message), 1);
    assert_int_equal(message.of[1].number, number);
    assert_int_equal(take_words(0, &message), 0);
}

static void a_peer_that_is_out_is_tried_by_all_ways_in_turn(void **state)
{
    (void)state;
    begin_well();
    const next_view next = {.leavers = PEER_BIT(3)};
    bksi_membership_enter(&common.membership, common.seats.self, &next);
    run(1);
    const uint32_t carriers[] = {0, 2};
    for (uint32_t k = 0; k < 9; k++) {
        session_route chosen = way_to(3);
        bksi_routes_went(&routes, 3);
        assert_int_equal(chosen.route.carriers, k % 3 > 0);
        if (k % 3 > 0) {
            assert_int_equal(chosen.route.peers[0], carriers[k % 3 - 1]);
        }
    }
    // The peer carries for nobody any more.
    set_acts(0, false, false);
    run(10);
    assert_int_equal(way_to(0).route.carriers, 1);
    assert_int_equal(way_to(0).route.peers[0], 2);
}

static void of_two_peers_no_word_goes(void **state)
{
    (void)state;
    begin();
    common.seats.all = 0x3;
    bksi_membership_begin(&common.membership, 0, 0, 0x3);
    bksi_links_measured(&common.links, 0, 40e6);
    set_acts(0, true, true);
    run(60);
    set_acts(0, false, false);
    bksi_hears message;
    for (uint32_t k = 0; k < 200; k++) {
        run(1);
        assert_int_equal(take_words(0, &message), 0);
        assert_int_equal(way_to(0).route.carriers, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_a_link_is_measured_all_go_straight),
        cmocka_unit_test(far_links_are_given_three_times_the_longest_trip),
        cmocka_unit_test(a_link_message_that_echoes_keeps_the_way_it_took),
        cmocka_unit_test(a_far_peer_is_reached_straight_again_once_it_echoes),
        cmocka_unit_test(a_far_peer_that_answered_a_call_stays_straight_until_it_is_measured),
        cmocka_unit_test(a_peer_that_is_missed_is_sent_to_through_another),
        cmocka_unit_test(while_we_stood_still_no_peer_was_missed),
        cmocka_unit_test(no_word_goes_while_all_is_well),
        cmocka_unit_test(a_change_is_sent_three_times_and_then_once_a_second),
        cmocka_unit_test(what_masks_say_goes_by_a_new_way_at_once),
        cmocka_unit_test(what_a_peer_says_of_itself_is_passed_on),
        cmocka_unit_test(an_old_word_of_ours_is_put_right),
        cmocka_unit_test(a_peer_that_is_out_is_tried_by_all_ways_in_turn),
        cmocka_unit_test(of_two_peers_no_word_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
