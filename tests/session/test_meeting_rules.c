// SPDX-License-Identifier: MIT

#include "session/agree/meeting_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/common/seats.h"

static bksi_meet_message messages[BKS_PEERS_MAX];
static const bksi_meet_message *reports[BKS_PEERS_MAX];

/// Each has the state of one letter, and says no more.
static void state_that(const char *letters)
{
    memset(messages, 0, sizeof(messages));
    for (uint32_t peer = 0; letters[peer] != '\0'; peer++) {
        reports[peer] = &messages[peer];
        messages[peer].state = (uint64_t)letters[peer];
    }
}

// ---- how far the members are ----

/// By peer: a stage, or `-` for nothing.
static void say(const char *stages)
{
    memset(messages, 0, sizeof(messages));
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        messages[i].tick = stages[i] == '-' ? BKS_TICK_NONE : 90;
        messages[i].stage = (bksi_meet_stage)(stages[i] == '-' ? 0 : stages[i] - '0');
        reports[i] = &messages[i];
    }
}

/// Members are at a stage when the slowest of them is. One that has given up is at none.
static void all_are_as_far_as_the_slowest_and_one_that_gave_up_is_nowhere(void **state)
{
    (void)state;
    static const struct {
        const char *stages;
        uint32_t members;
        bksi_meet_stage stage;
        bool are_at, has_failed;
    } rows[] = {
        {"2214-0--", 0x0B, BKSI_MEET_DONE, true, false},
        {"2214-0--", 0x0F, BKSI_MEET_DONE, false, false},
        {"2214-0--", 0x0F, BKSI_MEET_STATED, true, false},
        {"2214-0--", 0x2F, BKSI_MEET_HEARD, true, false},
        {"2214-0--", 0x1F, BKSI_MEET_HEARD, false, false},
        {"2232----", 0x0F, BKSI_MEET_HEARD, false, true},
        {"2232----", 0x0B, BKSI_MEET_HEARD, true, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        say(rows[i].stages);
        print_message("row %zu\n", i);
        assert_int_equal(bksi_reports_are_at(reports, rows[i].members, rows[i].stage),
                         rows[i].are_at);
        assert_int_equal(bksi_reports_have_failure(reports, rows[i].members), rows[i].has_failed);
    }
}

static void members_agree_when_all_have_the_same_now(void **state)
{
    (void)state;
    say("222-----");
    messages[0].now = messages[1].now = 7;
    assert_true(bksi_reports_agree(reports, 0x03));
    assert_false(bksi_reports_agree(reports, 0x07));
}

// ---- which members have the same state ----

static void the_majority_and_the_repaired_follow_from_all_words(void **state)
{
    (void)state;
    static const struct {
        const char *states; ///< by peer
        const char *before; ///< by peer: the chain of the states before
        uint32_t refused;   ///< bits: members whose game refuses their own state
        uint32_t members, majority, repaired;
    } rows[] = {
        // The largest group counts, of equal ones that with the lowest member.
        {"abbbcccc", "00000000", 0x00, 0xFF, 0xF0, 0x0F},
        {"abbbcccc", "00000000", 0x00, 0x7F, 0x0E, 0x71},
        {"abbbcccc", "00000000", 0x00, 0x03, 0x01, 0x02},
        {"abbbcccc", "00000000", 0x00, 0x36, 0x06, 0x30},
        {"abbbcccc", "00000000", 0x00, 0x92, 0x90, 0x02},
        // A member that had other states before is repaired too: what all had before is in the
        // chain of each, also where no peer has seen that it differs.
        {"aaaaaaaa", "00000000", 0x00, 0x0F, 0x0F, 0x00},
        {"aaaaaaaa", "00700000", 0x00, 0x0F, 0x0F, 0x04},
        // One without the state of the most is repaired whatever it had before.
        {"xyaaaza-", "11222120", 0x00, 0x6F, 0x4C, 0x23},
        // A state that its own game refuses counts only where each is refused: the others could
        // not take it.
        {"aabbcccc", "00000000", 0x03, 0x0F, 0x0C, 0x03},
        {"aabbcccc", "00000000", 0x03, 0x07, 0x04, 0x03},
        {"aabbcccc", "00000000", 0x07, 0x07, 0x03, 0x04},
        // A member with the state of the most has it though its game refuses it, so that it
        // fetches nothing, which its game would refuse.
        {"aaab----", "00000000", 0x04, 0x0F, 0x07, 0x08},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        state_that(rows[i].states);
        for (uint32_t peer = 0; peer < BKS_PEERS_MAX; peer++) {
            messages[peer].before = (uint64_t)rows[i].before[peer];
            messages[peer].is_refused = (rows[i].refused >> peer & 1) != 0;
        }
        print_message("row %zu\n", i);
        assert_int_equal(bksi_majority_now(reports, rows[i].members), rows[i].majority);
        assert_int_equal(bksi_majority_repaired(reports, rows[i].members), rows[i].repaired);
    }
}

static void some_are_most_when_more_than_the_rest_or_as_many_with_the_lowest(void **state)
{
    (void)state;
    static const struct {
        uint32_t some, members;
        bool are_most;
    } rows[] = {
        {0x07, 0x1F, true},  {0x03, 0x1F, false}, {0x03, 0x0F, true},
        {0x0C, 0x0F, false}, {0x0A, 0x1E, true},  {0x00, 0x03, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(bksi_majority_are_most(rows[i].some, rows[i].members), rows[i].are_most);
    }
}

static void the_words_of_members_alone_count(void **state)
{
    (void)state;
    state_that("aaaaaaaa");
    messages[1].differing = 0x01;
    messages[3].differing = 0x06;
    assert_int_equal(bksi_majority_naming(reports, 0x0F), 2);
    assert_int_equal(bksi_majority_naming(reports, 0x05), 0);
    messages[3].inputs = 7;
    assert_true(bksi_majority_shares_inputs(reports, 0x07));
    assert_false(bksi_majority_shares_inputs(reports, 0x0F));
}

/// All decide by the same words.
static void what_a_member_stated_stays_however_far_it_is(void **state)
{
    (void)state;
    bksi_meet_message known = {.tick = 90, .stage = BKSI_MEET_HEARD, .state = 1};
    bksi_meet_message next = {.tick = 90, .stage = BKSI_MEET_STATED, .state = 2, .since = {3}};
    bksi_report_update(&known, &next, 10);
    assert_int_equal(known.state, 2); // before it had stated none
    assert_int_equal(known.since[0], 10);
    next.stage = BKSI_MEET_DONE;
    next.state = 5;
    bksi_report_update(&known, &next, 10);
    assert_int_equal(known.stage, BKSI_MEET_DONE);
    assert_int_equal(known.state, 2);
}

// ---- the repairs ----

/// Up to which tick a member has found all others the same.
static void know(uint32_t peer, bks_tick same)
{
    messages[peer].known = 0xFF & ~PEER_BIT(peer);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        messages[peer].same[i] = same;
    }
}

/// Make the log of a meeting in which all members are repaired but peers 0 and 1, or of two peer 0.
static bksi_repair_log log_of(uint32_t members, uint32_t self)
{
    return (bksi_repair_log){.reports = reports,
                             .tick = 60,
                             .all = members,
                             .self = self,
                             .decided = members,
                             .repaired = members == 3 ? 2 : members & ~3u,
                             .members = members,
                             .before = BKS_PEERS_MAX};
}

static bks_repair repair(uint32_t members, uint32_t self, uint32_t peer)
{
    const bksi_repair_log list = log_of(members, self);
    return bksi_repair_log_repair(&list, peer);
}

/// Three members.
static bks_tick since(uint32_t peer)
{
    const bksi_repair_log list = log_of(0x07, 0);
    return bksi_repair_log_since(&list, peer);
}

static void a_difference_not_seen_yet_is_since_the_last_tick_known_to_be_the_same(void **state)
{
    (void)state;
    state_that("aab-----");
    know(0, 50), know(1, 51), know(2, 52);
    assert_int_equal(since(2), 60); // the peer differs in the tick itself
    messages[2].before = 7;
    assert_int_equal(since(2), 52);
    messages[1].differing = 4;
    messages[1].since[2] = 57;
    assert_int_equal(since(2), 57);
}

/// The liar reports since when others differ, or that they were equal for long, as it likes.
static void one_liar_moves_no_span_out_of_what_the_others_have_seen(void **state)
{
    (void)state;
    state_that("aab-----");
    messages[2].before = 7;
    for (uint32_t liar = 0; liar < 3; liar++) {
        know(0, 50), know(1, 51), know(2, 52);
        for (uint32_t i = 0; i < 3; i++) {
            messages[i].differing = i == 2 ? 3 : 4;
            messages[i].since[0] = messages[i].since[1] = messages[i].since[2] = 57;
        }
        messages[liar].since[0] = messages[liar].since[1] = messages[liar].since[2] = 3;
        assert_in_range(since(2), 51, 57);
        know(liar, 1);
        assert_in_range(since(2), 51, 57);
        know(liar, 60);
        assert_in_range(since(2), 51, 57);
        messages[liar].differing = 0;
        assert_in_range(since(2), 51, 57);
        messages[0].differing = messages[1].differing = messages[2].differing = 0;
        assert_in_range(since(2), 51, 57);
        know(liar, 1);
        assert_in_range(since(2), 51, 57);
        messages[liar].known = 0;
        assert_in_range(since(2), 51, 57);
    }
}

/// No other can tell which of them lies, but each has seen something itself.
static void of_two_a_liar_moves_no_span_out_of_what_the_other_has_seen(void **state)
{
    (void)state;
    state_that("ab------");
    messages[1].before = 7;
    for (uint32_t liar = 0; liar < 2; liar++) {
        const bks_tick lies[] = {1, 60};
        for (uint32_t i = 0; i < 2; i++) {
            know(!liar, 52);
            know(liar, lies[i]);
            messages[0].differing = 2;
            messages[1].differing = 1;
            messages[!liar].since[liar] = 57;
            messages[liar].since[!liar] = 3;
            assert_in_range(repair(0x03, !liar, 1).since, 53, 57);
            messages[liar].differing = 0;
            assert_in_range(repair(0x03, !liar, 1).since, 53, 57);
        }
    }
}

static void what_a_repair_took_is_nothing_only_where_it_had_it_all(void **state)
{
    (void)state;
    state_that("aaba----");
    messages[2].from = 2;
    assert_int_equal(repair(0x0F, 0, 2).bytes, 1);
    assert_int_equal(repair(0x0F, 0, 2).from, 0);
    messages[3].before = 7;
    messages[3].bytes = 4096;
    messages[3].from = 1;
    assert_int_equal(repair(0x0F, 0, 3).bytes, 0);
    assert_int_equal(repair(0x0F, 0, 3).from, 3);
}

static void a_repair_names_none_that_has_not_what_the_most_have(void **state)
{
    (void)state;
    state_that("aab-----");
    messages[2].bytes = 64;
    messages[2].from = 1;
    assert_int_equal(repair(0x07, 0, 2).from, 1);
    messages[2].from = 7;
    assert_int_equal(repair(0x07, 0, 2).from, 0);
}

/// Two peers whose match begins at tick 40; peer 1 was repaired and is gone.
static bksi_repair_log listing_of_host(void)
{
    bksi_repair_log list = log_of(0x03, 0);
    list.members = 1;
    list.first = 40;
    list.before = 0;
    messages[0].repaired = 0xFF;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        messages[0].repairs[i] = (bksi_meet_repair){.since = 41, .from = 7, .bytes = 9};
    }
    return list;
}

static void what_a_host_lists_names_peers_of_the_match_alone(void **state)
{
    (void)state;
    state_that("ab------");
    bksi_repair_log list = listing_of_host();
    bks_repair repairs[BKS_PEERS_MAX];
    assert_int_equal(bksi_repair_log_all(&list, repairs), 1);
    assert_int_equal(repairs[0].peer, 1);
    assert_int_equal(repairs[0].from, 0);
    assert_int_equal(repairs[0].bytes, 9);
    list.have_left = true; // all that it lists
    assert_int_equal(bksi_repair_log_all(&list, repairs), 2);
    assert_int_equal(repairs[0].peer, 0);
    assert_int_equal(repairs[0].from, 1);
}

static void no_span_begins_before_the_match(void **state)
{
    (void)state;
    state_that("aab-----");
    messages[2].before = 7; // no member reports what it has found equal
    bksi_repair_log list = log_of(0x07, 0);
    list.first = 40;
    assert_int_equal(bksi_repair_log_since(&list, 2), 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_as_far_as_the_slowest_and_one_that_gave_up_is_nowhere),
        cmocka_unit_test(members_agree_when_all_have_the_same_now),
        cmocka_unit_test(the_majority_and_the_repaired_follow_from_all_words),
        cmocka_unit_test(some_are_most_when_more_than_the_rest_or_as_many_with_the_lowest),
        cmocka_unit_test(the_words_of_members_alone_count),
        cmocka_unit_test(what_a_member_stated_stays_however_far_it_is),
        cmocka_unit_test(a_difference_not_seen_yet_is_since_the_last_tick_known_to_be_the_same),
        cmocka_unit_test(one_liar_moves_no_span_out_of_what_the_others_have_seen),
        cmocka_unit_test(of_two_a_liar_moves_no_span_out_of_what_the_other_has_seen),
        cmocka_unit_test(what_a_repair_took_is_nothing_only_where_it_had_it_all),
        cmocka_unit_test(a_repair_names_none_that_has_not_what_the_most_have),
        cmocka_unit_test(what_a_host_lists_names_peers_of_the_match_alone),
        cmocka_unit_test(no_span_begins_before_the_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
