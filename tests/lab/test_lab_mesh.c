// SPDX-License-Identifier: MIT

// The mesh on whole matches: a pair cut for a minute, and a dropped peer learns it at once.

#include "some_lab.h"

#include "lab/lab_internal.h"
#include "session/session_internal.h"

#define MS_NS    UINT64_C(1000000)
#define DELAY_MS 40u

static bks_lab_config config;

static void a_pair_cut_for_a_minute_plays_on_through_the_third(void **state)
{
    (void)state;
    config = some_lab_config(1, 3, 4200);
    config.tuning.window_ticks = 20;
    const bks_lab_result result = some_match(&config, "delay=40ms", "cut=0-1@5s+60s");
    assert_agreed(&result, 4200);
    print_message("relayed %u, starved %u %u %u\n", (uint32_t)some_moment(&result, "relayed"),
                  (uint32_t)result.peers[0].stats.starved_ticks,
                  (uint32_t)result.peers[1].stats.starved_ticks,
                  (uint32_t)result.peers[2].stats.starved_ticks);
    assert_true(some_moment(&result, "relayed") > 3000);
    assert_int_equal(some_moment(&result, "view"), 0);
    assert_int_equal(some_moment(&result, "silent"), 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(result.peers[i].stats.starved_ticks < 42);
    }
}

/// Peers 1 and 2 play through peer 0.
static uint32_t ms_of_match(const char *link, const char *fault)
{
    char all[64];
    (void)snprintf(all, sizeof(all), "cut=1-2@0ms+20s%s", fault);
    config = some_lab_config(1, 3, 420);
    const bks_lab_result result = some_match(&config, link, all);
    assert_agreed(&result, 420);
    return (uint32_t)(result.match_ns / MS_NS);
}

/// Let all sends of a peer fail for a moment, or its program stand still.
static void a_moments_silence_beside_a_cut_costs_no_more_than_itself(void **state)
{
    (void)state;
    static const char *const links[] = {"delay=80ms", "delay=25ms,rate=50kbit"};
    static const uint32_t spans_ms[] = {100, 164, 400, 900};
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t without_ms = ms_of_match(links[k], "");
        for (uint32_t i = 0; i < 2 * 3 * 4; i++) {
            const uint32_t most_ms = without_ms + spans_ms[i % 4] + 100;
            char fault[32];
            (void)snprintf(fault, sizeof(fault), ",%s=%u@3s+%ums", i < 12 ? "full" : "pause",
                           i / 4 % 3, spans_ms[i % 4]);
            const uint32_t ms = ms_of_match(links[k], fault);
            if (ms > most_ms) {
                fail_msg("%s%s: %u ms, at most %u", links[k], fault, ms, most_ms);
            }
        }
    }
}

static bks_lab *begin(const char *fault)
{
    config = some_lab_config(1, 3, 1200);
    bks_lab *lab = some_lab(&config, "delay=40ms", fault);
    while (lab->first_tick_ns == UINT64_MAX) {
        assert_true(bks_lab_advance(lab, bks_lab_now(lab) + MS_NS));
    }
    return lab;
}

static void run_for(bks_lab *lab, uint64_t ms)
{
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + ms * MS_NS));
}

static uint64_t after_first_tick_ms(const bks_lab *lab)
{
    return (bks_lab_now(lab) - lab->first_tick_ns) / MS_NS;
}

static bool is_dropped(const bks_lab *lab, uint32_t peer)
{
    return bks_session_phase(lab->peers[peer].session) == BKS_PHASE_FAILED;
}

static uint64_t ms_until_dropped(bks_lab *lab, uint32_t peer)
{
    const uint64_t since_ns = bks_lab_now(lab);
    while (!is_dropped(lab, peer)) {
        assert_true(bks_lab_now(lab) - since_ns < 3 * SOME_SECOND_NS);
        run_for(lab, 1);
    }
    return (bks_lab_now(lab) - since_ns) / MS_NS;
}

/// Check that the others play on to the end.
static void end(bks_lab *lab)
{
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_agreed(&result, 1200);
    assert_int_equal(some_moment(&result, "dropped"), 1);
    bks_lab_destroy(lab);
}

static void a_peer_that_is_not_heard_learns_with_the_next_packet_that_it_is_dropped(void **state)
{
    (void)state;
    bks_lab *lab = begin("full=2@2s+20s");
    while (lab->peers[0].session->common.membership.view == 0 ||
           lab->peers[1].session->common.membership.view == 0) {
        assert_true(after_first_tick_ms(lab) < 9000);
        assert_false(is_dropped(lab, 2));
        run_for(lab, 1);
    }
    assert_true(after_first_tick_ms(lab) >= 7000);
    assert_in_range(ms_until_dropped(lab, 2), 0, DELAY_MS + 2);
    end(lab);
}

static void a_peer_that_slept_too_long_learns_it_within_a_round_trip(void **state)
{
    (void)state;
    bks_lab *lab = begin("pause=2@2s+8s");
    while (after_first_tick_ms(lab) < 10000) {
        run_for(lab, 1);
    }
    assert_int_equal(lab->peers[0].session->common.membership.view, 1);
    assert_in_range(ms_until_dropped(lab, 2), 0, 2 * DELAY_MS + 20);
    end(lab);
}

static void the_smaller_side_of_a_split_learns_it_within_a_second_of_meeting(void **state)
{
    (void)state;
    bks_lab *lab = begin("split=0.1/2@2s+8s");
    while (after_first_tick_ms(lab) < 10000) {
        run_for(lab, 1);
    }
    assert_int_equal(lab->peers[2].session->common.membership.view, 1);
    assert_false(is_dropped(lab, 2));
    assert_in_range(ms_until_dropped(lab, 2), 0, 1000 + DELAY_MS);
    end(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_cut_for_a_minute_plays_on_through_the_third),
        cmocka_unit_test(a_moments_silence_beside_a_cut_costs_no_more_than_itself),
        cmocka_unit_test(a_peer_that_is_not_heard_learns_with_the_next_packet_that_it_is_dropped),
        cmocka_unit_test(a_peer_that_slept_too_long_learns_it_within_a_round_trip),
        cmocka_unit_test(the_smaller_side_of_a_split_learns_it_within_a_second_of_meeting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
