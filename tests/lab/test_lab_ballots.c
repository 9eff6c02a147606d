// SPDX-License-Identifier: MIT

// Ballots in whole matches: a peer that comes back in time stays, none is dropped that reaches the
// others, and no match waits for a peer that is lost.

#include "some_lab.h"

#include "backstitch/toolkit/oracle.h"
#include "base/mutant.h"

static bks_lab_result frozen_pair(void)
{
    const bks_lab_config config = some_lab_config(1, 4, 3000);
    static const char *const faults[] = {"cut=1-2@11298ms+900s", "full=0@5751ms+7186ms",
                                         "full=3@7657ms+5045ms"};
    bks_lab *lab = some_lab(&config, "delay=50ms", faults[0]);
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(bks_lab_fault(lab, faults[i], NULL), BKS_OK);
    }
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    return result;
}

/// Two peers freeze one after the other, while the ballot about the first needs the second's
/// answer; then the other two lose each other. From 12.9 s on every peer reaches every other
/// through one peer.
static void peers_that_come_back_before_the_ballot_is_decided_stay(void **state)
{
    (void)state;
    const bks_lab_result result = frozen_pair();
    assert_agreed(&result, 3000);
    assert_int_equal(some_moment(&result, "view"), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(result.peers[i].ticks, 3000);
    }
}

static void a_peer_that_ignores_what_was_taken_back_is_seen(void **state)
{
    (void)state;
    const bksi_mutant before = bksi_mutant_set(BKSI_MUTANT_TAKEBACK);
    const bks_lab_result result = frozen_pair();
    (void)bksi_mutant_set(before);
    assert_int_not_equal(result.peers[0].ticks, 3000);
}

/// The last packets before the limit are 20 a second: one comes through in time.
static void a_cut_that_ends_just_before_the_limit_drops_none(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const bks_lab_config config = some_lab_config(seed, 2, 1200);
        const bks_lab_result result = some_match(&config, "delay=50ms", "cut=0-1@5s+4800ms");
        assert_agreed(&result, 1200);
        assert_int_equal(some_moment(&result, "view"), 0);
    }
}

// ---- sides that meet again ----

static const bks_oracle_verdict *judged(uint32_t peers, bks_tick ticks, const char *fault)
{
    static bks_oracle_verdict verdict;
    static const char *const links[] = {"0>3:delay=30ms,rate=117kbit",
                                        "3>0:delay=30ms,rate=117kbit"};
    static const char *const stream = "0>3:58976@5714ms";
    bks_oracle_match match = {
        .config = some_lab_config(1, peers, ticks),
        .links = links,
        .link_count = peers > 3 ? 2 : 0,
        .faults = &fault,
        .fault_count = 1,
        .streams = &stream,
        .stream_count = peers > 3 ? 1 : 0,
    };
    match.config.tuning.bulk_bytes = BKS_LAB_BULK_BUFFER_BYTES;
    assert_int_equal(bks_oracle_run(&match, &verdict, NULL), BKS_OK);
    return &verdict;
}

/// Peer 1 cannot send and peer 2 pauses, so that each is alone; then they reach each other through
/// peer 0 only, which plays on without them.
static const char reunion[] = "cut=1-2@0ms+14000ms,pause=2@0ms+7600ms,full=1@0ms+5800ms,heal@0ms";

static void sides_that_meet_through_a_third_end_the_smaller_one_in_time(void **state)
{
    (void)state;
    const bks_oracle_verdict *verdict = judged(3, 499, reunion);
    assert_string_equal(verdict->why, "");
    assert_int_equal(verdict->kind, BKS_ORACLE_GOOD);
}

static void a_smaller_side_that_does_not_learn_it_is_seen(void **state)
{
    (void)state;
    const bksi_mutant before = bksi_mutant_set(BKSI_MUTANT_GONE);
    const bks_oracle_verdict *verdict = judged(3, 499, reunion);
    (void)bksi_mutant_set(before);
    assert_int_equal(verdict->kind, BKS_ORACLE_DEAD);
}

/// All peers agree to drop peer 1; then the proposer is cut off with the decision, and peer 1 comes
/// back.
static void a_decision_that_reached_no_peer_holds_none_up(void **state)
{
    (void)state;
    const bks_oracle_verdict *verdict =
        judged(4, 800, "split=0/1.2.3@6900ms+5900ms,full=1@1700ms+7300ms,heal@12800ms");
    assert_string_equal(verdict->why, "");
    assert_int_equal(verdict->kind, BKS_ORACLE_GOOD);
    assert_int_equal(verdict->result.peers[2].ticks, 800);
    assert_int_equal(verdict->result.peers[3].ticks, 800);
}

/// The proposer of a goodbye cannot send for so long that it counts the others as mute. Peer 1
/// answers as soon as both can send again, so it stays.
static void a_peer_that_could_not_be_asked_stays(void **state)
{
    (void)state;
    const bks_oracle_verdict *verdict = judged(
        4, 120, "leave=3@2300ms,full=0@0ms+7100ms,full=2@2700ms+4500ms,full=1@6400ms+2200ms");
    assert_string_equal(verdict->why, "");
    assert_int_equal(verdict->kind, BKS_ORACLE_GOOD);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(verdict->result.peers[i].ticks, 120);
    }
    assert_in_range(verdict->result.match_ns / (SOME_SECOND_NS / 1000), 8600, 11000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_that_come_back_before_the_ballot_is_decided_stay),
        cmocka_unit_test(a_cut_that_ends_just_before_the_limit_drops_none),
        cmocka_unit_test(a_peer_that_ignores_what_was_taken_back_is_seen),
        cmocka_unit_test(sides_that_meet_through_a_third_end_the_smaller_one_in_time),
        cmocka_unit_test(a_smaller_side_that_does_not_learn_it_is_seen),
        cmocka_unit_test(a_decision_that_reached_no_peer_holds_none_up),
        cmocka_unit_test(a_peer_that_could_not_be_asked_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
