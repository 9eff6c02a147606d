// SPDX-License-Identifier: MIT

// A peer that changes its window, delay and pace while it plays has the states of the other peer.

#include "some_lab.h"

#include "backstitch/present.h"

enum { TICKS = 1500 };

static bks_session *session_of(bks_lab *lab, uint32_t peer)
{
    return bks_peer_session(bks_lab_peer(lab, peer));
}

/// Play up to a time, and return how far peer 1 ran ahead on the way.
static bks_tick most_predicted(bks_lab *lab, uint64_t from_ms, uint64_t until_ms)
{
    bks_tick most = 0;
    for (uint64_t ms = from_ms; ms < until_ms; ms++) {
        (void)bks_lab_advance(lab, ms * 1000000);
        const bks_session *session = session_of(lab, 1);
        const bks_tick ahead = bks_session_tick(session) - bks_session_confirmed(session);
        most = ahead > most ? ahead : most;
    }
    return most;
}

static void assert_ends_agreed(bks_lab *lab)
{
    bks_lab_result result;
    (void)bks_lab_advance(lab, UINT64_MAX);
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_agreed(&result, TICKS);
}

static void a_shorter_window_is_kept_and_the_match_stays_the_same(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(3, 2, TICKS);
    bks_lab *lab = some_lab(&config, "delay=80ms,jitter=20ms,loss=5%", NULL);
    (void)bks_lab_advance(lab, 3 * SOME_SECOND_NS);
    assert_int_equal(bks_session_retune(session_of(lab, 1), 2, 0, BKS_PACE_NONE, NULL), BKS_OK);
    assert_true(most_predicted(lab, 5000, 8000) <= 2);
    bks_tuning tuning;
    assert_int_equal(bks_session_tuning(session_of(lab, 1), &tuning), BKS_OK);
    assert_int_equal(tuning.window_ticks, 2);
    assert_int_equal(tuning.pace, BKS_PACE_NONE);
    bks_stats stats;
    (void)bks_session_stats(session_of(lab, 1), &stats);
    assert_true(stats.starved_ticks > 0);
    assert_int_equal(stats.input_delay, 0);
    assert_int_equal(bks_session_retune(session_of(lab, 1), 20, 0, BKS_PACE_SLEW, NULL), BKS_OK);
    assert_true(most_predicted(lab, 8000, 11000) > 4);
    assert_ends_agreed(lab);
    bks_lab_destroy(lab);
}

static void another_delay_is_taken_up_tick_by_tick_and_given_back(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(4, 2, TICKS);
    bks_lab *lab = some_lab(&config, "delay=20ms", NULL);
    (void)bks_lab_advance(lab, 2 * SOME_SECOND_NS);
    assert_int_equal(bks_session_retune(session_of(lab, 1), 20, 9, BKS_PACE_SLEW, NULL), BKS_OK);
    (void)bks_lab_advance(lab, 7 * SOME_SECOND_NS);
    bks_stats stats;
    (void)bks_session_stats(session_of(lab, 1), &stats);
    assert_int_equal(stats.input_delay, 9);
    assert_int_equal(bks_session_retune(session_of(lab, 1), 20, BKS_AUTO, BKS_PACE_SLEW, NULL),
                     BKS_OK);
    (void)bks_lab_advance(lab, 16 * SOME_SECOND_NS);
    (void)bks_session_stats(session_of(lab, 1), &stats);
    assert_true(stats.input_delay < 3);
    assert_ends_agreed(lab);
    bks_lab_destroy(lab);
}

// Change the tuning a hundred times, at random, from the first tick on.
static void whatever_is_changed_and_when_the_states_stay_the_same(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(5, 3, TICKS);
    bks_lab *lab = some_lab(&config, "delay=50ms,jitter=30ms,loss=10%", "pause=2@6s+700ms");
    bks_random random;
    bks_random_seed(&random, 5, 0);
    for (uint64_t i = 0; i < 100; i++) {
        (void)bks_lab_advance(lab, i * SOME_SECOND_NS / 5);
        const uint32_t delay = bks_random_below(&random, 12);
        assert_int_equal(bks_session_retune(session_of(lab, bks_random_below(&random, 3)),
                                            1 + bks_random_below(&random, 20),
                                            delay == 11 ? BKS_AUTO : delay,
                                            (bks_pace)bks_random_below(&random, 3), NULL),
                         BKS_OK);
    }
    for (uint32_t peer = 0; peer < 3; peer++) {
        (void)!bks_session_retune(session_of(lab, peer), 20, BKS_AUTO, BKS_PACE_SLEW, NULL);
    }
    assert_ends_agreed(lab);
    bks_lab_destroy(lab);
}

static void lockstep_stays_lockstep(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(6, 2, TICKS);
    config.tuning.window_ticks = 0;
    bks_lab *lab = some_lab(&config, "delay=20ms", NULL);
    (void)bks_lab_advance(lab, 2 * SOME_SECOND_NS);
    assert_int_equal(bks_session_retune(session_of(lab, 1), 1, 4, BKS_PACE_SLEW, NULL),
                     BKS_ERR_BAD_CONFIG);
    assert_int_equal(bks_session_retune(session_of(lab, 1), 0, 8, BKS_PACE_SLEW, NULL), BKS_OK);
    assert_ends_agreed(lab);
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shorter_window_is_kept_and_the_match_stays_the_same),
        cmocka_unit_test(another_delay_is_taken_up_tick_by_tick_and_given_back),
        cmocka_unit_test(whatever_is_changed_and_when_the_states_stay_the_same),
        cmocka_unit_test(lockstep_stays_lockstep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
