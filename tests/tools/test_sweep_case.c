// SPDX-License-Identifier: MIT

#include "workshop/sweep/sweep_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mutant.h"
#include "base/tool.h"
#include "pad/pad.h"
#include "support/seed.h"

static sweep_settings some_frame(void)
{
    sweep_settings settings = {.game = &pad_game, .game_name = "pad"};
    assert_int_equal(bks_option_values_default(&pad_game, &settings.options), BKS_OK);
    return settings;
}

static void a_seed_gives_the_same_match_and_another_another(void **state)
{
    (void)state;
    static char lines[3][16384];
    static sweep_case cases[3];
    const sweep_settings settings = some_frame();
    for (int i = 0; i < 3; i++) {
        sweep_case_draw(&settings, i < 2 ? 7 : 8, &cases[i]);
        sweep_case_line(&settings, &cases[i], lines[i], sizeof(lines[i]));
    }
    assert_string_equal(lines[0], lines[1]);
    assert_string_not_equal(lines[0], lines[2]);
}

/// Counts of what was drawn in many matches.
typedef struct drawn_counts {
    uint32_t with_kind[BKS_LAB_FAULT_KINDS];
    uint32_t with_peers[BKS_PEERS_MAX + 1];
    uint32_t lockstep;
    uint32_t twice;
    uint32_t other_rate;
    uint32_t quick; ///< tick rates of 500 Hz and more
    uint32_t slow;  ///< tick rates of 3 Hz and less
    uint32_t other_drop;
    uint32_t other_window; ///< windows that differ from the host's
    uint32_t other_delay;
    uint32_t guesses;
    uint32_t in_lobby;
    uint32_t creates;
    uint32_t orders;
    uint32_t frames;
    uint32_t heals;
    uint32_t with_mtu;
    uint32_t may_part;
    uint32_t endless;    ///< endless cuts of pairs
    uint32_t about_5_s;  ///< silences about as long as the time until a peer is dropped
    uint32_t beyond_6_s; ///< longer silences
    uint32_t host_crash;
    uint32_t two_crashes;
    uint32_t crash_of_last_two;
    uint32_t crashed_pausers; ///< crashes of peers that pause the match
    uint32_t steady_speeds;   ///< matches that nothing but another speed disturbs
    uint32_t one_way;
    uint32_t streams;
    uint32_t watched;
    uint32_t leaving_watchers;
    uint32_t later;       ///< first ticks above 0
    uint32_t two_rebinds; ///< matches in which two peers change their address
} drawn_counts;

/// Check that two peers that change their address can send it in between: else they could never
/// talk again.
static void check_rebinds(const sweep_case *c, drawn_counts *counts)
{
    const bks_lab_timed *first = NULL;
    const bks_lab_timed *second = NULL;
    for (uint32_t i = 0; i < c->fault_count; i++) {
        const bks_lab_timed *fault = &c->faults[i];
        const bool is_rebind = fault->kind == BKS_LAB_REBIND;
        second = is_rebind && first != NULL && first->peer != fault->peer ? fault : second;
        first = is_rebind && first == NULL ? fault : first;
    }
    counts->two_rebinds += second != NULL ? 1 : 0;
    for (uint32_t i = 0; i < c->fault_count && second != NULL; i++) {
        const bks_lab_timed *fault = &c->faults[i];
        const bool silences = fault->kind == BKS_LAB_FULL || fault->kind == BKS_LAB_PAUSE ||
                              fault->kind == BKS_LAB_CUT || fault->kind == BKS_LAB_SPLIT;
        assert_false(silences && fault->at_ns < second->at_ns &&
                     fault->at_ns + fault->span_ns > first->at_ns);
    }
}

static void check_links(const sweep_case *c, drawn_counts *counts)
{
    for (uint32_t i = 0; i < c->peers * c->peers; i++) {
        const bks_lab_link_spec *link = &c->links[i / c->peers][i % c->peers];
        assert_true(link->delay_ns <= UINT64_C(250000000) && link->loss_ppm <= 250000);
        assert_true(link->jitter_ns <= link->delay_ns);
        assert_true(link->mtu_bytes == 0 || link->mtu_bytes >= 450);
    }
    counts->with_mtu += c->links[0][1].mtu_bytes > 0 ? 1 : 0;
}

static void check_faults(const sweep_case *c, drawn_counts *counts)
{
    uint32_t crashed = 0;
    uint32_t paused = 0;
    uint32_t speeds = 0;
    for (uint32_t i = 0; i < c->fault_count; i++) {
        const bks_lab_timed *fault = &c->faults[i];
        const uint64_t span_ms = fault->span_ns / 1000000;
        assert_true(fault->peer < c->peers && fault->other < c->peers);
        assert_true(fault->kind != BKS_LAB_CUT || fault->peer != fault->other);
        counts->with_kind[fault->kind]++;
        counts->in_lobby += fault->in_lobby ? 1 : 0;
        counts->one_way += fault->is_one_way ? 1 : 0;
        counts->endless += span_ms > 100000 ? 1 : 0;
        counts->about_5_s += span_ms > 4500 && span_ms < 5500 ? 1 : 0;
        counts->beyond_6_s += span_ms > 6000 && span_ms < 100000 ? 1 : 0;
        crashed |= fault->kind == BKS_LAB_CRASH ? 1u << fault->peer : 0;
        paused |= fault->kind == BKS_LAB_PAUSE_GAME ? 1u << fault->peer : 0;
        speeds += fault->kind == BKS_LAB_SPEED ? 1 : 0;
    }
    counts->crashed_pausers += (crashed & paused) != 0 ? 1 : 0;
    counts->steady_speeds += speeds > 0 && speeds == c->fault_count ? 1 : 0;
    const uint32_t all = (1u << c->peers) - 1;
    assert_true(crashed != all); // at least one peer is left
    counts->host_crash += crashed & 1;
    counts->two_crashes += (crashed & (crashed - 1)) != 0 ? 1 : 0;
    counts->crash_of_last_two += crashed != 0 && c->peers == 2 ? 1 : 0;
}

// A drawn match keeps to what the session can survive, and its seeds reach everything.
static void drawn_settings_keep_to_their_bounds_and_reach_them(void **state)
{
    (void)state;
    const sweep_settings settings = some_frame();
    drawn_counts counts;
    memset(&counts, 0, sizeof(counts));
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        sweep_case c;
        sweep_case_draw(&settings, seed, &c);
        assert_in_range(c.peers, 2, BKS_PEERS_MAX);
        for (uint32_t i = 0; i < c.peers; i++) {
            assert_true(c.window_ticks[i] <= BKS_WINDOW_MAX);
            assert_true(c.delay_ticks[i] == BKS_AUTO || c.delay_ticks[i] <= BKS_DELAY_MAX);
            counts.other_window += c.window_ticks[i] != c.window_ticks[0] ? 1 : 0;
            counts.other_delay += c.delay_ticks[i] != c.delay_ticks[0] ? 1 : 0;
            counts.frames += c.frames_hz[i] != 0 ? 1 : 0;
        }
        assert_true(c.fault_count <= SWEEP_FAULTS_MAX);
        const uint32_t rate_hz = c.rate_hz != 0 ? c.rate_hz : pad_game.tick_rate_hz;
        assert_in_range(rate_hz, 1, 1000);
        assert_in_range((uint64_t)c.ticks * 1000 / rate_hz, 1500, 100000);
        counts.guesses += (c.variant & GAME_GUESSES) != 0 ? 1 : 0;
        counts.creates += (c.variant & GAME_CREATES) != 0 ? 1 : 0;
        counts.orders += (c.variant & GAME_ORDERS) != 0 ? 1 : 0;
        counts.other_rate += c.rate_hz != 0 ? 1 : 0;
        counts.quick += rate_hz >= 500 ? 1 : 0;
        counts.slow += rate_hz <= 3 ? 1 : 0;
        assert_in_range(c.drop_after_ms, 1000, 30000);
        counts.later += c.first_tick > 0 ? 1 : 0;
        counts.other_drop += c.drop_after_ms != 5000 ? 1 : 0;
        uint32_t players = 0;
        for (uint32_t i = 0; i < c.peers; i++) {
            assert_true(c.players_on[i] >= 1);
            players += c.players_on[i];
        }
        assert_true(players <= BKS_PLAYERS_MAX);
        check_links(&c, &counts);
        check_faults(&c, &counts);
        check_rebinds(&c, &counts);
        for (uint32_t i = 0; i < c.bulk_count; i++) {
            const bks_lab_bulk_spec *bulk = &c.bulk[i];
            assert_true(bulk->from < c.peers && bulk->to < c.peers && bulk->from != bulk->to);
            assert_in_range(bulk->bytes, 1, 300000);
        }
        counts.streams += c.bulk_count;
        for (uint32_t i = 0; i < c.watcher_count; i++) {
            assert_true(c.watchers[i].peer < c.peers);
        }
        counts.watched += c.watcher_count > 0 ? 1 : 0;
        counts.leaving_watchers += c.watcher_count > 0 && c.watchers[0].span_ns > 0 ? 1 : 0;
        bks_lab_expectation expected;
        const bks_lab_terms terms = {c.peers, UINT64_C(600000000000), 0,
                                     c.drop_after_ms * UINT64_C(1000000)};
        assert_int_equal(bks_lab_expect(c.faults, c.fault_count, &terms, &expected), BKS_OK);
        counts.heals += expected.has_heal ? 1 : 0;
        counts.may_part += expected.may_part ? 1 : 0;
        counts.with_peers[c.peers]++;
        counts.lockstep += sweep_case_is_lockstep(&c) ? 1 : 0;
        counts.twice += c.is_twice ? 1 : 0;
    }
    for (uint32_t i = 2; i <= BKS_PEERS_MAX; i++) {
        assert_in_range(counts.with_peers[i], 20, 800);
    }
    for (uint32_t i = 0; i < BKS_LAB_FAULT_KINDS; i++) {
        if (counts.with_kind[i] < 40) {
            fail_msg("%s is drawn %u times", bks_lab_fault_name((bks_lab_fault_kind)i),
                     counts.with_kind[i]);
        }
    }
    assert_in_range(counts.twice, 200, 320); // one in eight
    assert_in_range(counts.other_rate, 400, 800);
    assert_true(counts.quick > 10 && counts.slow > 20);
    assert_true(counts.other_window > 300 && counts.other_delay > 300 && counts.frames > 300);
    assert_true(counts.in_lobby > 300 && counts.guesses > 200 && counts.creates > 200);
    assert_in_range(counts.orders, 600, 730); // a third
    assert_in_range(counts.later, 200, 400);
    assert_in_range(counts.other_drop, 800, 1000);
    assert_in_range(counts.heals, 1000, 1800);
    assert_in_range(counts.may_part, 500, 1200);
    assert_in_range(counts.with_mtu, 100, 300);
    assert_true(counts.endless > 100 && counts.about_5_s > 100 && counts.beyond_6_s > 100);
    assert_true(counts.host_crash > 100 && counts.two_crashes > 60);
    assert_true(counts.crash_of_last_two > 30);
    assert_true(counts.crashed_pausers > 100 && counts.steady_speeds > 10);
    assert_true(counts.two_rebinds > 20);
    assert_true(counts.one_way > 100 && counts.streams > 300);
    assert_in_range(counts.watched, 430, 570); // a quarter
    assert_true(counts.leaving_watchers > 100);
}

static void the_line_says_all_of_a_match(void **state)
{
    (void)state;
    const sweep_settings settings = some_frame();
    sweep_case c = {.seed = 9,
                    .peers = 3,
                    .players_on = {1, 2, 1},
                    .ticks = 100,
                    .first_tick = 200,
                    .rate_hz = 120,
                    .variant = GAME_GUESSES | GAME_CREATES | GAME_ORDERS,
                    .drop_after_ms = 3000,
                    .window_ticks = {7, 7, 0},
                    .delay_ticks = {2, 2, BKS_AUTO},
                    .frames_hz = {0, 60, 75},
                    .save = BKS_SAVE_ONE,
                    .places = 2,
                    .pace = BKS_PACE_STALL,
                    .on_desync = BKS_ON_DESYNC_RESYNC,
                    .flip_count = 2,
                    .flips = {{1, 60, false}, {2, 70, true}}};
    char line[2048];
    const bks_lab_link_spec link = {.delay_ns = 30000000, .loss_ppm = 15000};
    for (uint32_t i = 0; i < 9; i++) {
        c.links[i / 3][i % 3] = link;
    }
    c.links[2][0] = (bks_lab_link_spec){.burst_packets = 2.5,
                                        .delay_ns = 5000000,
                                        .jitter_ns = 1000000,
                                        .loss_ppm = 250000,
                                        .duplicate_ppm = 1000,
                                        .reorder_ppm = 2000,
                                        .corrupt_ppm = 50000,
                                        .rate_bits_per_s = 64000,
                                        .mtu_bytes = 600};
    c.links[0][2] = (bks_lab_link_spec){0};
    c.faults[c.fault_count++] = (bks_lab_timed){
        .kind = BKS_LAB_RATE, .other = 2, .peer = 1, .is_one_way = true, .value = 24000};
    c.faults[c.fault_count++] = (bks_lab_timed){.kind = BKS_LAB_HEAL, .at_ns = 3000000000};
    c.bulk[c.bulk_count++] =
        (bks_lab_bulk_spec){.from = 2, .to = 0, .bytes = 1234, .at_ns = 5000000};
    c.watchers[c.watcher_count++] = (bks_lab_watch_spec){
        .peer = 1, .in_lobby = true, .at_ns = 20000000, .line = {.loss_ppm = 10000}};
    c.watchers[c.watcher_count++] =
        (bks_lab_watch_spec){.peer = 2, .at_ns = 4000000000, .span_ns = 2000000000};
    sweep_case_line(&settings, &c, line, sizeof(line));
    assert_string_equal(
        line,
        "bks lab pad --peers 3 --players-per-peer 1,2,1 --ticks 300 --seed 9 --first-tick 200 --hz "
        "120 --with "
        "predict,create,commands "
        "--drop-after 3000 --window 7,7,0 "
        "--delay 2,2,auto --frames 0,60,75 --save one --pace stall --on-desync resync --link "
        "'delay=30ms,loss=1.5%' "
        "--link '0>2:perfect' --link '2>0:delay=5ms,jitter=1ms,loss=25.0%,burst=2.5,"
        "dup=0.1%,reorder=0.2%,corrupt=5.0%,rate=64kbit,mtu=600' "
        "--fault 'rate=2>1@0ms:24kbit' --fault heal@3000ms "
        "--fault flip=1@260:byte --fault flip=2@270:once --bulk '2>0:1234@5ms' "
        "--watch 'lobby:1@20ms:loss=1.0%' --watch '2@4000ms+2000ms:perfect' --watchers 2 "
        "--strict");
}

static void a_good_match_is_good_wherever_it_runs(void **state)
{
    (void)state;
    const sweep_settings settings = some_frame();
    static bks_oracle_verdict here;
    static bks_oracle_verdict there;
    sweep_case c;
    sweep_case_draw(&settings, 1 + seed_below(100000), &c);
    assert_int_equal(sweep_case_run(&settings, &c, &here), TOOL_OK);
    assert_string_equal(here.why, "");
    assert_int_equal(here.kind, BKS_ORACLE_GOOD);
    assert_int_equal(sweep_case_try(&settings, &c, SWEEP_MATCH_S_MAX, &there), TOOL_OK);
    assert_true(here.digest == there.digest);
    assert_true(here.peer_hours > 0.0 && here.peer_hours == there.peer_hours);
}

static void a_match_that_crashes_or_differs_is_reported_as_such(void **state)
{
    (void)state;
    const sweep_settings settings = some_frame();
    static bks_oracle_verdict verdict;
    sweep_case c;
    sweep_case_draw(&settings, 1, &c);
    (void)bksi_mutant_set(BKSI_MUTANT_FORGOT);
    assert_int_equal(sweep_case_try(&settings, &c, SWEEP_MATCH_S_MAX, &verdict), TOOL_OK);
    (void)bksi_mutant_set(BKSI_MUTANT_NONE);
    assert_int_equal(verdict.kind, BKS_ORACLE_UNSAFE);
    assert_true(verdict.tick >= 0);
    c.peers = 0; // the match is refused, not judged
    assert_int_equal(sweep_case_try(&settings, &c, SWEEP_MATCH_S_MAX, &verdict), TOOL_MISUSE);
}

static void a_failure_becomes_as_small_as_it_can(void **state)
{
    (void)state;
    const sweep_settings settings = some_frame();
    static bks_oracle_verdict verdict;
    sweep_case c;
    char line[16384];
    sweep_case_draw(&settings, 12, &c);
    (void)bksi_mutant_set(BKSI_MUTANT_FORGOT);
    assert_int_equal(sweep_case_try(&settings, &c, SWEEP_MATCH_S_MAX, &verdict), TOOL_OK);
    assert_int_equal(verdict.kind, BKS_ORACLE_UNSAFE);
    sweep_case_shrink(&settings, &c, &verdict, UINT64_MAX);
    (void)bksi_mutant_set(BKSI_MUTANT_NONE);
    sweep_case_line(&settings, &c, line, sizeof(line));
    assert_int_equal(verdict.kind, BKS_ORACLE_UNSAFE);
    assert_int_equal(c.peers, 2);
    assert_int_equal(c.fault_count, 0);
    assert_true(c.ticks <= 60);
    assert_true(strlen(line) < 120);
}

// Changes that undo each other would never end.
static void making_small_comes_to_its_own_end(void **state)
{
    (void)state;
    static const bksi_mutant mutants[] = {BKSI_MUTANT_SHIFT, BKSI_MUTANT_WINDOW, BKSI_MUTANT_TWICE};
    const sweep_settings settings = some_frame();
    static bks_oracle_verdict verdict;
    for (size_t i = 0; i < sizeof(mutants) / sizeof(mutants[0]); i++) {
        (void)bksi_mutant_set(mutants[i]);
        sweep_case c;
        uint64_t seed = 0;
        do {
            sweep_case_draw(&settings, ++seed, &c);
            assert_int_equal(sweep_case_try(&settings, &c, SWEEP_MATCH_S_MAX, &verdict), TOOL_OK);
        } while (verdict.kind == BKS_ORACLE_GOOD);
        sweep_case_shrink(&settings, &c, &verdict, UINT64_MAX);
        assert_int_not_equal(verdict.kind, BKS_ORACLE_GOOD);
        assert_true(c.ticks < 600);
    }
    (void)bksi_mutant_set(BKSI_MUTANT_NONE);
}

static void a_smaller_case_fails_in_the_same_words(void **state)
{
    (void)state;
    const sweep_settings settings = some_frame();
    static bks_oracle_verdict verdict;
    sweep_case c = {.seed = 5,
                    .peers = 2,
                    .players_on = {1, 1},
                    .ticks = 800,
                    .drop_after_ms = 5000,
                    .window_ticks = {20, 20},
                    .delay_ticks = {3, 3},
                    .save = BKS_SAVE_TWO};
    c.links[0][1] = c.links[1][0] = (bks_lab_link_spec){.delay_ns = 30000000, .loss_ppm = 20000};
    c.faults[c.fault_count++] = (bks_lab_timed){
        .kind = BKS_LAB_FULL, .peer = 1, .at_ns = 1000000000, .span_ns = 8000000000};
    c.faults[c.fault_count++] = (bks_lab_timed){.kind = BKS_LAB_HEAL, .at_ns = 9000000000};
    (void)bksi_mutant_set(BKSI_MUTANT_GONE);
    assert_int_equal(sweep_case_try(&settings, &c, SWEEP_MATCH_S_MAX, &verdict), TOOL_OK);
    assert_non_null(strstr(verdict.why, "can talk to peer"));
    sweep_case_shrink(&settings, &c, &verdict, UINT64_MAX);
    (void)bksi_mutant_set(BKSI_MUTANT_NONE);
    assert_non_null(strstr(verdict.why, "can talk to peer"));
    assert_int_equal(c.peers, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_gives_the_same_match_and_another_another),
        cmocka_unit_test(drawn_settings_keep_to_their_bounds_and_reach_them),
        cmocka_unit_test(the_line_says_all_of_a_match),
        cmocka_unit_test(a_good_match_is_good_wherever_it_runs),
        cmocka_unit_test(a_match_that_crashes_or_differs_is_reported_as_such),
        cmocka_unit_test(a_failure_becomes_as_small_as_it_can),
        cmocka_unit_test(making_small_comes_to_its_own_end),
        cmocka_unit_test(a_smaller_case_fails_in_the_same_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
