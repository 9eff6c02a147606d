// SPDX-License-Identifier: MIT

// Matches of several machines in a game with commands: every byte reaches every peer in its tick.

#include "some_lab.h"

#include "backstitch/toolkit/oracle.h"
#include "lab/oracle_commands.h"

static bks_game game;
static bks_oracle_verdict verdict;

static bks_oracle_match match_of(uint32_t peers, uint32_t window_ticks)
{
    game = pad_game;
    game.command_bytes_max = 3000;
    bks_oracle_match match = {
        .config = bks_lab_config_default(), .is_scripted = true, .is_repeated = true};
    match.config.game = &game;
    match.config.peers = peers;
    match.config.ticks = 600;
    match.config.tuning.window_ticks = window_ticks;
    return match;
}

static void expect_good(const bks_oracle_match *match)
{
    bks_error error = {0};
    assert_int_equal(bks_oracle_run(match, &verdict, &error), BKS_OK);
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.kind, BKS_ORACLE_GOOD);
    assert_true(verdict.result.agreed);
}

static void commands_reach_every_peer_over_lossy_lines(void **state)
{
    (void)state;
    static const char *const links[] = {"delay=40ms,jitter=10ms,loss=5%,dup=2%"};
    for (uint32_t window = 0; window <= 20; window += 20) {
        bks_oracle_match match = match_of(4, window);
        match.config.players_on[1] = 3;
        match.links = links;
        match.link_count = 1;
        expect_good(&match);
    }
}

static void
peers_that_crash_or_leave_amid_their_commands_leave_the_same_ones_everywhere(void **state)
{
    (void)state;
    static const char *const links[] = {"delay=60ms,jitter=30ms,loss=10%"};
    static const char *const faults[] = {"crash=2@3s", "leave=1@5s", "heal@7s"};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bks_oracle_match match = match_of(4, seed % 2 == 0 ? 0 : 20);
        match.config.seed = seed;
        match.is_repeated = false;
        match.links = links;
        match.link_count = 1;
        match.faults = faults;
        match.fault_count = 3;
        expect_good(&match);
    }
}

static void a_command_that_is_not_the_next_one_given_is_found(void **state)
{
    (void)state;
    oracle_commands given = {.seed = 7, .bytes_max = 50};
    uint8_t bytes[4][52];
    bks_commands all[4];
    for (uint32_t i = 0; i < 4; i++) {
        const bks_sample asked = {.tick = 100 * (bks_tick)(i + 1), .player = 3};
        const size_t count = bksi_oracle_commands_give(&given, &asked, bytes[i] + 2);
        assert_in_range(count, 1, 50);
        bytes[i][0] = (uint8_t)count;
        bytes[i][1] = 0;
        all[i] = (bks_commands){bytes[i], 2 + (uint32_t)count};
    }
    uint32_t number = 0;
    assert_true(bksi_oracle_commands_follow(&given, 3, &all[0], &number));
    assert_true(bksi_oracle_commands_follow(&given, 3, &all[1], &number));
    assert_int_equal(number, 2);
    uint32_t again = 1, skipped = 2, right = 2, other = 2, changed = 2;
    assert_false(bksi_oracle_commands_follow(&given, 3, &all[2], &again));
    assert_false(bksi_oracle_commands_follow(&given, 3, &all[3], &skipped));
    assert_true(bksi_oracle_commands_follow(&given, 3, &all[2], &right));
    assert_false(bksi_oracle_commands_follow(&given, 2, &all[2], &other));
    bytes[2][2] ^= 1;
    assert_false(bksi_oracle_commands_follow(&given, 3, &all[2], &changed));
}

/// Peer 1 sends peer 2 other commands that keep all rules.
static void other_commands_for_one_peer_are_found_by_their_digest(void **state)
{
    (void)state;
    static const char *const links[] = {"delay=40ms,jitter=10ms,loss=5%"};
    static const char *const faults[] = {"lie=1@3s"};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        bks_oracle_match match = match_of(seed % 2 == 0 ? 3 : 4, seed % 2 == 0 ? 0 : 20);
        game.command_bytes_max = 50; // most ticks have whole commands alone
        match.config.seed = seed;
        match.is_repeated = false;
        match.config.players_on[1] = 1 + (uint32_t)seed % 3;
        match.links = links;
        match.link_count = 1;
        match.faults = faults;
        match.fault_count = 1;
        bks_error error = {0};
        assert_int_equal(bks_oracle_run(&match, &verdict, &error), BKS_OK);
        assert_string_equal(verdict.why, "");
        assert_int_equal(fault_count(&verdict.result, "lie"), 1);
        const bks_lab_result *result = &verdict.result;
        assert_in_range(result->desync_found_tick, result->desync_tick, result->desync_tick + 30);
        assert_int_equal(result->desync_peers, 4); // it alone has other inputs than all others
        for (uint32_t i = 0; i < match.config.peers; i++) {
            assert_int_equal(result->peers[i].ticks, 600); // nobody is dropped
        }
    }
}

static void a_match_stops_for_other_commands_for_one_peer(void **state)
{
    (void)state;
    static const char *const faults[] = {"lie=1@3s"};
    static const bks_on_desync policies[] = {BKS_ON_DESYNC_STOP, BKS_ON_DESYNC_RESYNC};
    for (uint32_t i = 0; i < 2; i++) {
        bks_oracle_match match = match_of(4, 20);
        match.config.tuning.on_desync = policies[i];
        match.faults = faults;
        match.fault_count = 1;
        bks_error error = {0};
        assert_int_equal(bks_oracle_run(&match, &verdict, &error), BKS_OK);
        assert_string_equal(verdict.why, "");
        assert_in_range(verdict.result.peers[0].ticks, 180, 500);
        for (uint32_t k = 1; k < 4; k++) {
            assert_int_equal(verdict.result.peers[k].ticks, verdict.result.peers[0].ticks);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_reach_every_peer_over_lossy_lines),
        cmocka_unit_test(
            peers_that_crash_or_leave_amid_their_commands_leave_the_same_ones_everywhere),
        cmocka_unit_test(a_command_that_is_not_the_next_one_given_is_found),
        cmocka_unit_test(other_commands_for_one_peer_are_found_by_their_digest),
        cmocka_unit_test(a_match_stops_for_other_commands_for_one_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
