// SPDX-License-Identifier: MIT

// A match begins only where all made the same state of tick 0; otherwise all learn whose differs
// and in what.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "session/session_internal.h"
#include "session/toy_network.h"

#define SECONDS (1000 * TOY_MS)

static toy_network network;

static const bks_state_range names[] = {
    {.name = "score", .count = 1, .type = BKS_STATE_U32},
    {.name = "ship", .offset_bytes = 4, .count = 1, .type = BKS_STATE_F32},
    {.name = "a name that is too long for most sentences, as can be seen",
     .offset_bytes = 16,
     .count = 1},
    {.name = "shots", .offset_bytes = 8, .count = 1, .type = BKS_STATE_U64},
};

static const uint64_t of_host[] = {1, 2, 3, 4};
static const uint64_t other_ship[] = {1, 7, 3, 4};
static const uint64_t other_shots[] = {1, 2, 3, 7};
static const uint64_t all_other[] = {7, 7, 7, 7};

static uint32_t named;

static void tune_named(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ranges = names;
    config->range_count = named;
    config->ticks = 60;
}

static void create(uint32_t peers, uint32_t ranges)
{
    named = ranges;
    toy_create(&network, peers, 1, tune_named);
}

static void explain(uint32_t peer, uint64_t skew, const uint64_t *ranges, uint32_t count)
{
    network.peers[peer].skew = skew;
    network.peers[peer].ranges = ranges;
    network.peers[peer].range_count = count;
}

/// No peer stepped, and each failed with one sentence.
static void assert_no_peer_starts(const char *const *sentences)
{
    toy_run_until(&network, network.now_ns + 8 * SECONDS);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        const toy_peer *peer = &network.peers[i];
        assert_int_equal(bks_session_phase(peer->session), BKS_PHASE_FAILED);
        assert_string_equal(peer->last[BKS_EVENT_REFUSED].text, sentences[i]);
        assert_int_equal(peer->events[BKS_EVENT_REFUSED], 1);
        assert_int_equal(peer->events[BKS_EVENT_STARTED], 0);
        assert_int_equal(peer->step_ops, 0);
        assert_int_equal(peer->last[BKS_EVENT_REFUSED].tick, 0);
        assert_true(bks_session_wake(peer->session) == UINT64_MAX);
    }
    toy_destroy(&network);
}

static void two_peers_that_differ_learn_in_which_range(void **context)
{
    (void)context;
    create(2, 4);
    explain(0, 0, of_host, 4);
    explain(1, 1, other_ship, 4);
    static const char *const sentences[] = {
        "the states of tick 0 differ: peer 1 from the host (us) in `ship`",
        "the states of tick 0 differ: peer 1 (us) from the host in `ship`",
    };
    toy_run_until(&network, 1 * SECONDS);
    const bks_event *event = &network.peers[0].last[BKS_EVENT_REFUSED];
    assert_int_equal(event->peer, 1);
    assert_true(event->own_hash == 1 && event->peer_hash == 2);
    assert_no_peer_starts(sentences);
}

static void peers_that_agree_with_the_host_learn_which_peer_does_not(void **context)
{
    (void)context;
    create(4, 4);
    explain(0, 0, of_host, 4);
    explain(1, 3, other_ship, 4);
    explain(2, 0, of_host, 4);
    explain(3, 5, other_shots, 4);
    network.loss_percent = 30;
    network.delay_ns = 80 * TOY_MS;
    static const char *const sentences[] = {
        "the states of tick 0 differ: peer 1, 3 from the host (us) in `ship`, `shots`",
        "the states of tick 0 differ: peer 1 (us), 3 from the host in `ship`, `shots`",
        "the states of tick 0 differ: peer 1, 3 from the host in `ship`, `shots`",
        "the states of tick 0 differ: peer 1, 3 (us) from the host in `ship`, `shots`",
    };
    assert_no_peer_starts(sentences);
}

static void events_without_room_are_counted(void **context)
{
    (void)context;
    create(2, 4);
    explain(0, 0, of_host, 4);
    explain(1, 1, all_other, 4);
    static const char *const sentences[] = {
        "the states of tick 0 differ: peer 1 from the host (us) in `score`, `ship` and 2 more",
        "the states of tick 0 differ: peer 1 (us) from the host in `score`, `ship` and 2 more",
    };
    assert_no_peer_starts(sentences);
}

static void without_names_the_parts_have_numbers_and_without_hashes_nothing(void **context)
{
    (void)context;
    create(2, 0);
    explain(0, 0, of_host, 4);
    explain(1, 1, other_shots, 4);
    static const char *const parts[] = {
        "the states of tick 0 differ: peer 1 from the host (us) in part 3",
        "the states of tick 0 differ: peer 1 (us) from the host in part 3",
    };
    assert_no_peer_starts(parts);

    create(2, 4);
    explain(1, 1, NULL, 4);
    static const char *const nothing[] = {
        "the states of tick 0 differ: peer 1 from the host (us)",
        "the states of tick 0 differ: peer 1 (us) from the host",
    };
    assert_no_peer_starts(nothing);
}

static void a_difference_outside_the_ranges_is_reported_as_such(void **context)
{
    (void)context;
    create(2, 4);
    explain(0, 0, of_host, 4);
    explain(1, 1, of_host, 4);
    static const char *const sentences[] = {
        "the states of tick 0 differ: peer 1 from the host (us), outside its 4 named ranges: its "
        "size, or other bytes",
        "the states of tick 0 differ: peer 1 (us) from the host, outside its 4 named ranges: its "
        "size, or other bytes",
    };
    assert_no_peer_starts(sentences);
}

static void more_ranges_than_a_packet_carries_are_cut(void **context)
{
    (void)context;
    static uint64_t ours[BKS_STATE_RANGES_MAX];
    static uint64_t theirs[BKS_STATE_RANGES_MAX];
    theirs[119] = theirs[120] = 1;
    create(2, 0);
    explain(0, 0, ours, BKS_STATE_RANGES_MAX);
    explain(1, 1, theirs, BKS_STATE_RANGES_MAX);
    static const char *const sentences[] = {
        "the states of tick 0 differ: peer 1 from the host (us) in part 119",
        "the states of tick 0 differ: peer 1 (us) from the host in part 119",
    };
    assert_no_peer_starts(sentences);
}

static void a_guest_that_keeps_its_ranges_to_itself_holds_up_no_one(void **context)
{
    (void)context;
    create(3, 4);
    explain(0, 0, of_host, 4);
    explain(1, 1, other_ship, 4);
    toy_run_until(&network, 70 * TOY_MS);
    while (!network.peers[0].session->lobby.start.is_unequal) {
        toy_run_until(&network, network.now_ns + 1 * TOY_MS);
    }
    toy_cut(&network, 0, 1, true);
    toy_run_until(&network, network.now_ns + 2 * SECONDS);
    assert_int_equal(bks_session_phase(network.peers[0].session), BKS_PHASE_FAILED);
    assert_string_equal(network.peers[2].last[BKS_EVENT_REFUSED].text,
                        "the states of tick 0 differ: peer 1 from the host");
    toy_destroy(&network);
}

static void tune_build(bks_session_config *config, uint32_t peer)
{
    static const uint64_t builds[] = {UINT64_C(0x1111111122222222), UINT64_C(0x3333333344444444),
                                      UINT64_C(0x1111111122222222), 0};
    config->ticks = 60;
    config->build = builds[peer];
}

static void other_builds_play_and_both_sides_learn_it(void **context)
{
    (void)context;
    toy_create(&network, 4, 1, tune_build);
    assert_true(toy_run_to_end(&network, 20 * SECONDS));
    assert_int_equal(network.peers[0].events[BKS_EVENT_OTHER_BUILD], 1);
    assert_string_equal(network.peers[0].last[BKS_EVENT_OTHER_BUILD].text,
                        "peer 1 plays another build of `toy`: theirs 33333333, ours 11111111");
    assert_string_equal(network.peers[1].last[BKS_EVENT_OTHER_BUILD].text,
                        "peer 0 plays another build of `toy`: theirs 11111111, ours 33333333");
    assert_int_equal(network.peers[1].events[BKS_EVENT_OTHER_BUILD], 1);
    assert_int_equal(network.peers[2].events[BKS_EVENT_OTHER_BUILD], 0);
    assert_int_equal(network.peers[3].events[BKS_EVENT_OTHER_BUILD], 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
    }
    toy_destroy(&network);
}

static void a_verdict_about_peers_that_are_not_there_changes_nothing(void **context)
{
    (void)context;
    create(2, 4);
    toy_run_until(&network, 5 * TOY_MS);
    bks_session *guest = network.peers[1].session;
    const bksi_difference hostile = {.peers = 0x80, .parts = 120, .differ = {0xff, 0xff}};
    bksi_start_fail(&guest->lobby.start, &guest->common.phase, &guest->common.events,
                    &guest->common, &hostile);
    assert_int_equal(bks_session_phase(guest), BKS_PHASE_GATHERING);
    assert_true(toy_run_to_end(&network, 20 * SECONDS));
    toy_destroy(&network);
}

static uint32_t times_named;

static size_t name_parts(void *context, const uint8_t *differ, uint32_t count, char *out,
                         size_t capacity)
{
    (void)context;
    (void)differ;
    (void)count;
    times_named++;
    return (size_t)snprintf(out, capacity, "in root.level");
}

static void tune_naming(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->name_parts = name_parts;
    config->ticks = 60;
}

static void parts_are_named_once(void **context)
{
    (void)context;
    times_named = 0;
    toy_create(&network, 2, 1, tune_naming);
    explain(0, 0, of_host, 4);
    explain(1, 1, other_ship, 4);
    static const char *const sentences[] = {
        "the states of tick 0 differ: peer 1 from the host (us) in root.level",
        "the states of tick 0 differ: peer 1 (us) from the host in root.level",
    };
    assert_no_peer_starts(sentences);
    assert_int_equal(times_named, 2); // each peer once
}

static void a_verdict_before_there_is_a_state_names_no_part_of_it(void **context)
{
    (void)context;
    times_named = 0;
    toy_create(&network, 3, 1, tune_naming);
    toy_cut(&network, 0, 2, true); // so that the roster gathers
    toy_cut(&network, 1, 2, true);
    toy_run_until(&network, 500 * TOY_MS);
    bks_session *guest = network.peers[1].session;
    assert_int_equal(guest->common.seats.all, 3);
    assert_false(guest->lobby.start.is_made);
    const bksi_difference hostile = {.peers = 2, .parts = 3, .differ = {4}};
    bksi_start_fail(&guest->lobby.start, &guest->common.phase, &guest->common.events,
                    &guest->common, &hostile);
    assert_int_equal(bks_session_phase(guest), BKS_PHASE_FAILED);
    assert_int_equal(times_named, 0);
    toy_destroy(&network);
}

static void without_a_part_that_differs_nothing_is_said_of_the_size(void **context)
{
    (void)context;
    create(2, 0);
    explain(0, 0, of_host, 4);
    explain(1, 1, of_host, 4);
    static const char *const sentences[] = {
        "the states of tick 0 differ: peer 1 from the host (us), in none of the 4 parts compared",
        "the states of tick 0 differ: peer 1 (us) from the host, in none of the 4 parts compared",
    };
    assert_no_peer_starts(sentences);
}

static void lockstep_and_one_machine_hash_tick_0_too(void **context)
{
    (void)context;
    toy_create(&network, 1, 1, NULL);
    toy_run_until(&network, 1 * SECONDS);
    assert_int_equal(bks_session_phase(network.peers[0].session), BKS_PHASE_RUNNING);
    uint64_t hash = 0;
    assert_int_equal(bks_session_hash(network.peers[0].session, 0, &hash), BKS_OK);
    assert_true(hash == 1);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_peers_that_differ_learn_in_which_range),
        cmocka_unit_test(peers_that_agree_with_the_host_learn_which_peer_does_not),
        cmocka_unit_test(events_without_room_are_counted),
        cmocka_unit_test(without_names_the_parts_have_numbers_and_without_hashes_nothing),
        cmocka_unit_test(a_difference_outside_the_ranges_is_reported_as_such),
        cmocka_unit_test(more_ranges_than_a_packet_carries_are_cut),
        cmocka_unit_test(a_guest_that_keeps_its_ranges_to_itself_holds_up_no_one),
        cmocka_unit_test(other_builds_play_and_both_sides_learn_it),
        cmocka_unit_test(a_verdict_about_peers_that_are_not_there_changes_nothing),
        cmocka_unit_test(parts_are_named_once),
        cmocka_unit_test(a_verdict_before_there_is_a_state_names_no_part_of_it),
        cmocka_unit_test(without_a_part_that_differs_nothing_is_said_of_the_size),
        cmocka_unit_test(lockstep_and_one_machine_hash_tick_0_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
