// SPDX-License-Identifier: MIT

// A watcher asks other members than its source for the hash of a state.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "feed/feed_match.h"
#include "game/some_game.h"

/// Tick of the first checkpoint: the small game has 60 ticks a second.
#define FIRST_CHECK 600

/// A match of 3 peers that all serve watchers, who come to the last.
static feed_network *open_three(uint32_t watchers, uint64_t delay_ns)
{
    bksi_feed_source_config config = feed_config(watchers);
    config.delay_ns = delay_ns;
    feed_network *network = feed_open(3, 1500, &config);
    feed_create(network, 0, &config);
    feed_create(network, 1, &config);
    return network;
}

/// Run until a watcher has news.
static bool has_opinion(feed_network *network, uint32_t watcher, uint64_t until_ns)
{
    bksi_feed_opinions *opinions = &network->watchers[watcher].receiver.opinions;
    while (!opinions->has_news && network->net.now_ns < until_ns) {
        feed_run_until(network, network->net.now_ns);
    }
    return opinions->has_news;
}

static void watchers_hear_that_another_member_agrees_though_it_has_no_place_for_them(void **state)
{
    (void)state;
    feed_network *network = open_three(1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        feed_run_until(network, (2 + i) * SECOND_NS);
        feed_come(network, i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(has_opinion(network, i, 18 * SECOND_NS));
        const bksi_feed_receiver *receiver = &network->watchers[i].receiver;
        const bksi_feed_opinion *opinion = &receiver->opinions.news;
        assert_int_equal(opinion->tick, FIRST_CHECK);
        assert_true(opinion->agrees);
        assert_true(bks_address_equal(&opinion->source, &receiver->source));
        assert_false(bks_address_equal(&opinion->other, &receiver->source));
        assert_int_equal(bksi_feed_source_watchers(&network->servers[i].source), 1);
    }
    feed_run_until(network, 30 * SECOND_NS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        feed_assert_is_true(network, &network->watchers[i], true);
    }
    feed_close(network);
}

static void a_watcher_of_a_source_with_another_state_is_told_who_differs(void **state)
{
    (void)state;
    feed_network *network = open_three(2, 0);
    feed_run_until(network, 2 * SECOND_NS);
    feed_come(network, 0);
    while (network->settled <= FIRST_CHECK + 10) {
        feed_run_until(network, network->net.now_ns);
    }
    for (uint32_t i = 0; i < 2; i++) {
        bksi_feed_checkpoint *held = &network->servers[i].source.tape.checkpoints[1];
        assert_int_equal(held->tick, FIRST_CHECK);
        held->hash ^= 1;
    }
    assert_true(has_opinion(network, 0, 18 * SECOND_NS));
    bksi_feed_opinions *opinions = &network->watchers[0].receiver.opinions;
    assert_false(opinions->news.agrees);
    assert_int_equal(opinions->news.source.bytes[1], 2);
    assert_in_range(opinions->news.other.bytes[1], 0, 1);
    opinions->has_news = false;
    assert_true(has_opinion(network, 0, 28 * SECOND_NS)); // 10 s later, of the same member
    assert_true(opinions->news.agrees);
    assert_int_equal(opinions->news.tick, 2 * FIRST_CHECK);
    assert_int_equal(opinions->turns, 1);
    feed_close(network);
}

static void a_hash_is_not_told_before_the_delay(void **state)
{
    (void)state;
    feed_network *network = open_three(2, 8 * SECOND_NS);
    uint64_t hash;
    feed_run_until(network, 2 * SECOND_NS);
    feed_come(network, 0);
    while (network->settled <= FIRST_CHECK + 10) {
        feed_run_until(network, network->net.now_ns);
    }
    const bksi_feed_tape *tape = &network->servers[0].source.tape;
    assert_true(bksi_feed_tape_hash(tape, FIRST_CHECK, network->net.now_ns, &hash));
    assert_false(bksi_feed_tape_hash(tape, FIRST_CHECK, network->net.now_ns - SECOND_NS, &hash));
    assert_false(bksi_feed_tape_hash(tape, FIRST_CHECK + 1, network->net.now_ns, &hash));
    assert_false(bksi_feed_tape_hash(tape, BKS_TICK_NONE, network->net.now_ns, &hash));
    // A watcher that is ahead of its time asks in vain; ours asks once it has the tick.
    bksi_feed_opinions *opinions = &network->watchers[0].receiver.opinions;
    const bks_address source = net_address(2);
    bksi_feed_opinions_want(opinions, FIRST_CHECK, hash, &source, network->net.now_ns);
    assert_false(has_opinion(network, 0, network->net.now_ns + 7 * SECOND_NS));
    assert_true(has_opinion(network, 0, 28 * SECOND_NS));
    assert_true(opinions->news.agrees);
    feed_close(network);
}

static void members_that_never_answer_are_asked_once(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(3, 2700, &config); // the others serve nobody
    feed_run_until(network, 2 * SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 40 * SECOND_NS);
    const bksi_feed_opinions *opinions = &network->watchers[0].receiver.opinions;
    assert_false(opinions->has_news);
    assert_int_equal(opinions->search.silent, 2);
    assert_int_equal(opinions->turns, 3); // the third time nobody was left
    assert_int_equal(opinions->channel, 0);
    assert_int_equal(network->watchers[0].status, BKS_OK);
    feed_close(network);
}

static void a_watcher_goes_on_with_the_member_that_it_asked(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(2);
    const feed_match match = {.peers = 2, .at = 1, .ticks = 1500, .game = &some_game};
    feed_network *network = feed_open_as(&match, &config);
    feed_create(network, 0, &config);
    feed_run_until(network, 2 * SECOND_NS);
    feed_come(network, 0);
    assert_true(has_opinion(network, 0, 18 * SECOND_NS));
    feed_crash(network, 1);
    feed_run_until(network, 40 * SECOND_NS);
    network->at = 0;
    assert_int_equal(network->watchers[0].status, BKS_OVER);
    assert_int_equal(network->watchers[0].end, 1500);
    feed_assert_is_true(network, &network->watchers[0], true);
    feed_close(network);
}

static void the_source_itself_is_never_asked(void **state)
{
    (void)state;
    static bksi_guard guard;
    const uint8_t secret[BKS_KEY_BYTES] = {1};
    const bksi_feed_members members = {.count = 2, .addresses = {net_address(0), net_address(1)}};
    bksi_feed_opinions opinions = {0};
    bksi_guard_init(&guard, secret, secret, secret);
    for (uint32_t first = 0; first < 2; first++) {
        bksi_feed_opinions_want(&opinions, FIRST_CHECK, 7, &members.addresses[0], SECOND_NS);
        bksi_feed_opinions_update(&opinions, &guard, &members, &members.addresses[0], first,
                                  SECOND_NS);
        assert_true(bks_address_equal(&opinions.other, &members.addresses[1]));
        assert_int_not_equal(opinions.channel, 0);
        bksi_feed_opinions_leave(&opinions, &guard, &members.addresses[0]);
        assert_int_not_equal(opinions.channel, 0);
        bksi_feed_opinions_leave(&opinions, &guard, &members.addresses[1]); // it is the source now
        assert_int_equal(opinions.channel, 0);
    }
    bksi_guard_wipe(&guard);
}

static void a_member_that_the_source_no_longer_names_is_asked_no_more(void **state)
{
    (void)state;
    static bksi_guard guard;
    const uint8_t secret[BKS_KEY_BYTES] = {1};
    const bks_address source = net_address(0);
    bksi_feed_members members = {.count = 2, .addresses = {net_address(1), net_address(2)}};
    bksi_feed_opinions opinions = {0};
    bksi_guard_init(&guard, secret, secret, secret);
    bksi_feed_opinions_want(&opinions, FIRST_CHECK, 7, &source, SECOND_NS);
    bksi_feed_opinions_update(&opinions, &guard, &members, &source, 0, SECOND_NS);
    assert_true(bks_address_equal(&opinions.other, &members.addresses[0]));
    members = (bksi_feed_members){.count = 1, .addresses = {net_address(2)}};
    bksi_feed_opinions_update(&opinions, &guard, &members, &source, 0, SECOND_NS + NET_MS);
    assert_int_equal(opinions.channel, 0);
    assert_false(opinions.is_open);
    bksi_feed_opinions_want(&opinions, 2 * FIRST_CHECK, 7, &source, 2 * SECOND_NS);
    bksi_feed_opinions_update(&opinions, &guard, &members, &source, 0, 2 * SECOND_NS);
    assert_true(bks_address_equal(&opinions.other, &members.addresses[0]));
    bksi_guard_wipe(&guard);
}

static void answer(bksi_feed_opinions *opinions, bks_tick tick, uint64_t hash)
{
    uint8_t body[BKSI_FEED_ANSWER_BYTES];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    const bks_address source = net_address(0);
    bksi_feed_opinions_want(opinions, tick, 7, &source, SECOND_NS);
    bksi_write_u32(&writer, (uint32_t)tick);
    bksi_write_u64(&writer, hash);
    const bksi_guard_message message = {
        .type = BKSI_FEED_HASH, .body = body, .body_bytes = sizeof(body)};
    bksi_feed_opinions_take(opinions, &message);
    assert_false(opinions->is_open);
}

static void an_opinion_that_differs_is_kept_for_a_program_that_asks_late(void **state)
{
    (void)state;
    bksi_feed_opinions opinions = {0};
    answer(&opinions, FIRST_CHECK, 7);
    answer(&opinions, 2 * FIRST_CHECK, 8); // takes the place of one that agrees
    assert_false(opinions.news.agrees);
    answer(&opinions, 3 * FIRST_CHECK, 7);
    assert_false(opinions.news.agrees);
    assert_int_equal(opinions.news.tick, 2 * FIRST_CHECK);
    opinions.has_news = false; // it is taken
    answer(&opinions, 4 * FIRST_CHECK, 7);
    assert_true(opinions.has_news && opinions.news.agrees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watchers_hear_that_another_member_agrees_though_it_has_no_place_for_them),
        cmocka_unit_test(a_watcher_of_a_source_with_another_state_is_told_who_differs),
        cmocka_unit_test(a_hash_is_not_told_before_the_delay),
        cmocka_unit_test(members_that_never_answer_are_asked_once),
        cmocka_unit_test(the_source_itself_is_never_asked),
        cmocka_unit_test(a_watcher_goes_on_with_the_member_that_it_asked),
        cmocka_unit_test(a_member_that_the_source_no_longer_names_is_asked_no_more),
        cmocka_unit_test(an_opinion_that_differs_is_kept_for_a_program_that_asks_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
