// SPDX-License-Identifier: MIT

#include "sweep_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/seed.h"
#include "pad/pad.h"
#include "session/plant.h"
#include "tool.h"

static sweep_frame some_frame(void)
{
    sweep_frame frame = {.game = &pad_game, .game_name = "pad"};
    assert_int_equal(bks_option_values_default(&pad_game, &frame.options), BKS_OK);
    return frame;
}

static void a_seed_gives_the_same_match_and_another_another(void **state)
{
    (void)state;
    static char lines[3][16384];
    static sweep_case cases[3];
    const sweep_frame frame = some_frame();
    for (int i = 0; i < 3; i++) {
        sweep_case_draw(&frame, i < 2 ? 7 : 8, &cases[i]);
        sweep_case_line(&frame, &cases[i], lines[i], sizeof(lines[i]));
    }
    assert_string_equal(lines[0], lines[1]);
    assert_string_not_equal(lines[0], lines[2]);
}

// A drawn match keeps to what the session can survive, and its seeds reach everything.
static void what_is_drawn_keeps_to_its_bounds_and_reaches_them(void **state)
{
    (void)state;
    const sweep_frame frame = some_frame();
    uint32_t with_kind[BKSI_LAB_FAULT_KINDS] = {0};
    uint32_t with_peers[BKS_PEERS_MAX + 1] = {0};
    uint32_t lockstep = 0;
    uint32_t twice = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        sweep_case c;
        sweep_case_draw(&frame, seed, &c);
        assert_in_range(c.peers, 2, BKS_PEERS_MAX);
        assert_true(c.window_ticks <= BKS_WINDOW_MAX);
        assert_true(c.fault_count <= SWEEP_FAULTS_MAX);
        uint32_t players = 0;
        for (uint32_t i = 0; i < c.peers; i++) {
            assert_true(c.players_on[i] >= 1);
            players += c.players_on[i];
        }
        assert_true(players <= BKS_PLAYERS_MAX);
        uint64_t silence_ns = 0;
        for (uint32_t i = 0; i < c.fault_count; i++) {
            const bksi_lab_timed *fault = &c.faults[i];
            with_kind[fault->kind]++;
            silence_ns += fault->kind == BKSI_LAB_SLOW ? 0 : fault->span_ns;
            assert_true(fault->peer < c.peers && fault->other < c.peers);
        }
        assert_true(silence_ns <= UINT64_C(2400000000));
        for (uint32_t i = 0; i < c.peers * c.peers; i++) {
            const bksi_lab_link_spec *link = &c.links[i / c.peers][i % c.peers];
            assert_true(link->delay_ns <= UINT64_C(250000000) && link->loss_ppm <= 250000);
            assert_true(link->jitter_ns <= link->delay_ns);
        }
        with_peers[c.peers]++;
        lockstep += c.window_ticks == 0 ? 1 : 0;
        twice += c.is_twice ? 1 : 0;
    }
    for (uint32_t i = 2; i <= BKS_PEERS_MAX; i++) {
        assert_in_range(with_peers[i], 20, 800);
    }
    assert_in_range(lockstep, 200, 400);
    assert_in_range(twice, 200, 320); // one in eight
    static const bksi_lab_fault_kind kinds[] = {BKSI_LAB_PAUSE, BKSI_LAB_CUT,   BKSI_LAB_SPLIT,
                                                BKSI_LAB_DRIFT, BKSI_LAB_CLOCK, BKSI_LAB_SLOW,
                                                BKSI_LAB_FULL,  BKSI_LAB_LIE,   BKSI_LAB_HEAL};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        assert_true(with_kind[kinds[i]] > 40);
    }
}

static void the_line_says_all_of_a_match(void **state)
{
    (void)state;
    const sweep_frame frame = some_frame();
    sweep_case c = {.seed = 9,
                    .peers = 3,
                    .players_on = {1, 2, 1},
                    .ticks = 100,
                    .window_ticks = 7,
                    .delay_ticks = 2,
                    .save = BKS_SAVE_ONE,
                    .pace = BKS_PACE_STALL,
                    .has_flip = true,
                    .flip_peer = 1,
                    .flip_tick = 60};
    char line[2048];
    const bksi_lab_link_spec link = {.delay_ns = 30000000, .loss_ppm = 15000};
    for (uint32_t i = 0; i < 9; i++) {
        c.links[i / 3][i % 3] = link;
    }
    c.links[2][0] = (bksi_lab_link_spec){.burst_packets = 2.5,
                                         .delay_ns = 5000000,
                                         .jitter_ns = 1000000,
                                         .loss_ppm = 250000,
                                         .duplicate_ppm = 1000,
                                         .reorder_ppm = 2000,
                                         .corrupt_ppm = 50000,
                                         .rate_bits_per_s = 64000};
    c.links[0][2] = (bksi_lab_link_spec){0};
    c.faults[c.fault_count++] = (bksi_lab_timed){.kind = BKSI_LAB_HEAL, .at_ns = 3000000000};
    sweep_case_line(&frame, &c, line, sizeof(line));
    assert_string_equal(
        line, "bks lab pad --peers 3 --players-per-peer 1,2,1 --ticks 100 --seed 9 --window 7 "
              "--delay 2 --save one --pace stall --link 'delay=30ms,loss=1.5%' "
              "--link '0>2:perfect' --link '2>0:delay=5ms,jitter=1ms,loss=25.0%,burst=2.5,"
              "dup=0.1%,reorder=0.2%,corrupt=5.0%,rate=64kbit' --fault heal@3000ms "
              "--fault flip=1@60:byte --strict");
}

static void a_good_match_is_good_wherever_it_runs(void **state)
{
    (void)state;
    const sweep_frame frame = some_frame();
    static judge_verdict here;
    static judge_verdict there;
    sweep_case c;
    sweep_case_draw(&frame, 1 + seed_below(100000), &c);
    assert_int_equal(sweep_case_run(&frame, &c, &here), TOOL_OK);
    assert_string_equal(here.why, "");
    assert_int_equal(here.kind, JUDGE_GOOD);
    assert_int_equal(sweep_case_try(&frame, &c, &there), TOOL_OK);
    assert_true(here.digest == there.digest);
    assert_true(here.peer_hours > 0.0 && here.peer_hours == there.peer_hours);
}

static void a_match_that_crashes_or_differs_is_told_as_such(void **state)
{
    (void)state;
    const sweep_frame frame = some_frame();
    static judge_verdict verdict;
    sweep_case c;
    sweep_case_draw(&frame, 1, &c);
    bksi_plant_now = BKSI_PLANT_FORGOT;
    assert_int_equal(sweep_case_try(&frame, &c, &verdict), TOOL_OK);
    bksi_plant_now = BKSI_PLANT_NONE;
    assert_int_equal(verdict.kind, JUDGE_UNSAFE);
    assert_true(verdict.tick >= 0);
    c.peers = 0; // refused, not judged
    assert_int_equal(sweep_case_try(&frame, &c, &verdict), TOOL_MISUSE);
}

static void a_failure_becomes_as_small_as_it_can(void **state)
{
    (void)state;
    const sweep_frame frame = some_frame();
    static judge_verdict verdict;
    sweep_case c;
    char line[16384];
    sweep_case_draw(&frame, 12, &c);
    bksi_plant_now = BKSI_PLANT_FORGOT;
    assert_int_equal(sweep_case_try(&frame, &c, &verdict), TOOL_OK);
    assert_int_equal(verdict.kind, JUDGE_UNSAFE);
    sweep_case_shrink(&frame, &c, &verdict, UINT64_C(60000000000));
    bksi_plant_now = BKSI_PLANT_NONE;
    sweep_case_line(&frame, &c, line, sizeof(line));
    assert_int_equal(verdict.kind, JUDGE_UNSAFE);
    assert_int_equal(c.peers, 2);
    assert_int_equal(c.fault_count, 0);
    assert_true(c.ticks <= 60);
    assert_true(strlen(line) < 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_gives_the_same_match_and_another_another),
        cmocka_unit_test(what_is_drawn_keeps_to_its_bounds_and_reaches_them),
        cmocka_unit_test(the_line_says_all_of_a_match),
        cmocka_unit_test(a_good_match_is_good_wherever_it_runs),
        cmocka_unit_test(a_match_that_crashes_or_differs_is_told_as_such),
        cmocka_unit_test(a_failure_becomes_as_small_as_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
