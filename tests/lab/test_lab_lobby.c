// SPDX-License-Identifier: MIT

// The time before a match: peers that come late, and peers that take long to make their state.

#include "lab/lab_internal.h"
#include "lab/oracle_internal.h"
#include "lab/some_lab.h"

#define MS_NS UINT64_C(1000000)
#define SEEDS 8u

static const char *const links[] = {NULL, "delay=30ms,loss=2%", "delay=120ms,jitter=20ms,loss=15%"};

enum { LINKS = sizeof(links) / sizeof(links[0]) };

/// Run a match in which nobody is given up, before the start or after it.
/// @return time until the first tick
static uint64_t connect_ns(const bks_lab_config *config, const char *link, const char *fault)
{
    bks_lab *lab = some_lab(config, link, fault);
    bks_lab_result result;
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    if (!result.agreed) {
        fail_msg("seed %u, %s, %s: %s", (unsigned)config->seed, link, fault, result.reason);
    }
    for (uint32_t i = 0; i < config->peers; i++) {
        bks_roster roster;
        (void)bks_session_roster(lab->peers[i].session, &roster);
        for (uint32_t k = 0; k < config->peers; k++) {
            if (lab->peers[i].missed_ns[k] != 0 || !roster.is_in[k]) {
                fail_msg("seed %u, %s, %s: peer %u gave peer %u up", (unsigned)config->seed, link,
                         fault, k, i);
            }
        }
    }
    bks_lab_destroy(lab);
    return result.connect_ns;
}

/// All peers load at the same time, so the match begins when the slowest is done.
static void peers_that_load_longer_than_drop_after_are_waited_for(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        uint64_t longest_ms;
    } rows[] = {
        {"load=1:6s", 6000},
        {"load=0:6s", 6000},
        {"load=0:6s,load=1:6s,load=2:6s", 6000},
        {"load=0:3s,load=1:9s,load=2:14s", 14000},
        {"load=0:14s,load=1:9s,load=2:3s", 14000},
        {"load=1:8s,lobby:pause=2@0ms+7s", 15000},
    };
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        for (uint32_t at = 0; at < LINKS; at++) {
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                const bks_lab_config config = some_lab_config(seed, 3, 60);
                const uint64_t ns = connect_ns(&config, links[at], rows[row].fault);
                assert_in_range(ns / MS_NS, rows[row].longest_ms, rows[row].longest_ms + 4000);
            }
        }
    }
}

static void a_peer_that_comes_late_finds_the_others_whatever_drop_after_is(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 2; at++) {
        for (uint64_t seed = 1; seed <= 5 * SEEDS; seed++) {
            bks_lab_config config = some_lab_config(seed, 3, 60);
            config.tuning.notify_after_ms = 100;
            config.tuning.drop_after_ms = 250;
            const uint64_t ns = connect_ns(&config, links[at], "lobby:pause=2@0ms+6s");
            assert_in_range(ns / MS_NS, 6000, 8000);
        }
    }
}

/// Twenty packets in a row are hardly ever lost.
static void losses_in_bursts_do_not_part_a_lobby_that_waits_for_minutes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3 * SEEDS; seed++) {
        bks_lab_config config = some_lab_config(seed, 3, 60);
        config.tuning.notify_after_ms = 100;
        config.tuning.drop_after_ms = seed % 2 == 0 ? 250 : 2000;
        const uint64_t ns =
            connect_ns(&config, "delay=50ms,loss=5%,burst=4", "lobby:pause=2@0ms+120s");
        assert_in_range(ns / MS_NS, 120000, 122000);
    }
}

/// No live peer is dropped, before the start or after it.
static void a_drop_after_too_short_for_the_line_is_raised(void **state)
{
    (void)state;
    static const struct {
        uint32_t drop_ms;
        const char *link;
    } rows[] = {
        {1000, "delay=1s,loss=5%"},
        {100, "delay=150ms"},
        {100, "delay=150ms,loss=20%"},
    };
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        for (uint64_t seed = 1; seed <= 20; seed++) {
            bks_lab_config config = some_lab_config(seed, 2 + seed % 2, 120);
            config.tuning.notify_after_ms = 100;
            config.tuning.drop_after_ms = rows[row].drop_ms;
            (void)connect_ns(&config, rows[row].link, NULL);
        }
    }
}

/// At 10 Hz a peer sends 20 packets a second.
static void losses_in_bursts_drop_nobody_at_a_low_tick_rate(void **state)
{
    (void)state;
    bks_game slow = pad_game;
    slow.tick_rate_hz = 10;
    for (uint64_t seed = 1; seed <= 3 * SEEDS; seed++) {
        bks_lab_config config = some_lab_config(seed, 2, 1200);
        config.game = &slow;
        config.tuning.notify_after_ms = 100;
        config.tuning.drop_after_ms = 250;
        (void)connect_ns(&config, "delay=50ms,loss=5%,burst=4", NULL);
    }
}

static bks_oracle_verdict verdict_if_started(bks_lab *lab, uint64_t first_ns)
{
    bks_oracle_verdict verdict = {0};
    lab->first_tick_ns = first_ns;
    lab->now_ns = 200 * SOME_SECOND_NS;
    bksi_oracle_judge_lobby(lab, &verdict);
    return verdict;
}

/// A match must start 6 s, 8 ways and a tick after the last peer came and loaded.
static void the_oracle_judges_the_time_until_a_start(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 60);
    bks_lab *lab = some_lab(&config, "delay=100ms", "lobby:pause=2@0ms+5s,load=1:2s");
    (void)bks_lab_advance(lab, 30 * SOME_SECOND_NS);
    const uint64_t due_ns = 13 * SOME_SECOND_NS + 800 * MS_NS + SOME_SECOND_NS / 60;
    assert_int_equal(verdict_if_started(lab, lab->first_tick_ns).kind, BKS_ORACLE_GOOD);
    assert_int_equal(verdict_if_started(lab, due_ns).kind, BKS_ORACLE_GOOD);
    const bks_oracle_verdict late = verdict_if_started(lab, due_ns + MS_NS);
    assert_int_equal(late.kind, BKS_ORACLE_DEAD);
    assert_string_equal(late.why, "13817 ms passed before the first tick, must be at most 13816");
    assert_int_equal(verdict_if_started(lab, UINT64_MAX).kind, BKS_ORACLE_DEAD);
    lab->peers[1].has_left = true; // one seat is free for ever
    assert_int_equal(verdict_if_started(lab, UINT64_MAX).kind, BKS_ORACLE_GOOD);
    bks_lab_destroy(lab);
}

/// The match cannot begin: seats stay free.
static void honest_guests_accuse_nobody_while_they_wait(void **state)
{
    (void)state;
    for (uint32_t peers = 5; peers <= 8; peers++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            const bks_lab_config config = some_lab_config(seed, peers, 300);
            bks_lab *lab =
                some_lab(&config, "delay=120ms,loss=1%", "lobby:crash=2@88ms,lobby:leave=1@1047ms");
            (void)bks_lab_advance(lab, 60 * SOME_SECOND_NS);
            assert_true(lab->first_tick_ns == UINT64_MAX);
            for (uint32_t i = 0; i < peers; i++) {
                assert_string_equal(lab->peers[i].failure, "");
            }
            bks_lab_destroy(lab);
        }
    }
}

/// A peer that crashed while it loaded frees its seat at last.
static void a_peer_that_loads_for_ever_is_given_up_after_two_minutes(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 9000); // long, so that the lab runs on
    bks_lab *lab = some_lab(&config, "delay=30ms", "load=1:900s");
    (void)bks_lab_advance(lab, 119 * SOME_SECOND_NS);
    assert_true(lab->peers[1].missed_ns[0] == 0);
    (void)bks_lab_advance(lab, 123 * SOME_SECOND_NS);
    assert_true(lab->peers[1].missed_ns[0] != 0);
    assert_true(lab->peers[2].missed_ns[0] == 0);
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_that_load_longer_than_drop_after_are_waited_for),
        cmocka_unit_test(a_peer_that_comes_late_finds_the_others_whatever_drop_after_is),
        cmocka_unit_test(losses_in_bursts_do_not_part_a_lobby_that_waits_for_minutes),
        cmocka_unit_test(a_drop_after_too_short_for_the_line_is_raised),
        cmocka_unit_test(losses_in_bursts_drop_nobody_at_a_low_tick_rate),
        cmocka_unit_test(the_oracle_judges_the_time_until_a_start),
        cmocka_unit_test(honest_guests_accuse_nobody_while_they_wait),
        cmocka_unit_test(a_peer_that_loads_for_ever_is_given_up_after_two_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
