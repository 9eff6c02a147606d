// SPDX-License-Identifier: MIT

// Actions of a match after a desync, and proof that the oracle finds each fault in them.

#include "some_lab.h"

#include "backstitch/toolkit/oracle.h"
#include "base/mutant.h"

static bks_oracle_verdict verdict;

/// Judge a match of 15 s with three peers.
static void judge(bks_on_desync policy, const char *faults, bksi_mutant mutant)
{
    static const char *const links[] = {"delay=40ms,jitter=5ms,loss=2%"};
    bks_oracle_match match = {.config = bks_lab_config_default(), .is_scripted = true};
    match.config.game = &pad_game;
    match.config.peers = 3;
    match.config.ticks = 900;
    match.config.tuning.on_desync = policy;
    match.links = links;
    match.link_count = 1;
    match.faults = &faults;
    match.fault_count = 1;
    const bksi_mutant before = bksi_mutant_set(mutant);
    const bks_status status = bks_oracle_run(&match, &verdict, NULL);
    (void)bksi_mutant_set(before);
    assert_int_equal(status, BKS_OK);
}

static void is_good(bks_on_desync policy, const char *faults)
{
    judge(policy, faults, BKSI_MUTANT_NONE);
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.kind, BKS_ORACLE_GOOD);
}

static void a_match_that_stops_at_one_tick_is_good(void **state)
{
    (void)state;
    is_good(BKS_ON_DESYNC_STOP, "flip=1@300:once");
    const bks_tick end = verdict.result.peers[0].ticks;
    assert_in_range(end, 366, 500);
    assert_int_equal(verdict.result.compared, end);
    is_good(BKS_ON_DESYNC_STOP, "lie=1@5s");
    assert_in_range(verdict.result.peers[0].ticks, 366, 500);
    is_good(BKS_ON_DESYNC_STOP, "heal@1s");
    assert_true(verdict.result.agreed);
    is_good(BKS_ON_DESYNC_STOP, "flip=1@890:once"); // the flip is too late to stop the match
    assert_int_equal(verdict.result.peers[0].ticks, 900);
}

static void a_match_that_is_repaired_is_good(void **state)
{
    (void)state;
    is_good(BKS_ON_DESYNC_RESYNC, "flip=1@300:once");
    assert_true(verdict.result.agreed);
    assert_int_equal(verdict.result.repair_count, 1);
    is_good(BKS_ON_DESYNC_RESYNC, "flip=0@300:once,flip=2@500:once");
    assert_true(verdict.result.agreed);
    assert_int_equal(verdict.result.repair_count, 2);
}

static void a_match_that_cannot_be_repaired_stops_and_is_good(void **state)
{
    (void)state;
    is_good(BKS_ON_DESYNC_RESYNC, "lie=1@5s");
    assert_in_range(verdict.result.peers[0].ticks, 366, 600);
    is_good(BKS_ON_DESYNC_RESYNC, "flip=0@100:once,flip=1@300:once,flip=2@500:once");
    assert_in_range(verdict.result.peers[0].ticks, 566, 800);
    assert_int_equal(verdict.result.repair_count, 2);
}

static void what_a_policy_must_do_and_does_not_is_found(void **state)
{
    (void)state;
    static const struct {
        bksi_mutant mutant;
        bks_on_desync policy;
        const char *faults;
        const char *why; ///< part of the verdict's sentence
    } cases[] = {
        {BKSI_MUTANT_STOP_NEVER, BKS_ON_DESYNC_STOP, "flip=1@300:once", "does not stop the match"},
        {BKSI_MUTANT_STOP_UNTOLD, BKS_ON_DESYNC_STOP, "flip=1@300:once", "stands still"},
        {BKSI_MUTANT_STOP_NEAR, BKS_ON_DESYNC_STOP, "flip=1@300:once", "the first difference is"},
        {BKSI_MUTANT_MEET_NEVER, BKS_ON_DESYNC_RESYNC, "flip=1@300:once", "not call a meeting"},
        {BKSI_MUTANT_MEND_NOTHING, BKS_ON_DESYNC_RESYNC, "flip=1@300:once",
         "though they were repaired"},
        {BKSI_MUTANT_MEND_AS_HOST, BKS_ON_DESYNC_RESYNC, "flip=0@300:once", "that of most peers"},
        {BKSI_MUTANT_MEND_LATE, BKS_ON_DESYNC_RESYNC, "flip=1@300:once",
         "though they were repaired"},
        {BKSI_MUTANT_MEND_WIDE, BKS_ON_DESYNC_RESYNC, "flip=1@300:once", "that of all others"},
        {BKSI_MUTANT_MEND_OFTEN, BKS_ON_DESYNC_RESYNC,
         "flip=0@100:once,flip=1@300:once,flip=2@500:once", "the third in a minute"},
        {BKSI_MUTANT_MEND_UNTOLD, BKS_ON_DESYNC_RESYNC, "flip=1@300:once",
         "list different repairs"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        judge(cases[i].policy, cases[i].faults, cases[i].mutant);
        if (strstr(verdict.why, cases[i].why) == NULL) {
            fail_msg("%s is judged '%s', must have '%s'", bksi_mutant_name(cases[i].mutant),
                     verdict.why, cases[i].why);
        }
        assert_int_not_equal(verdict.kind, BKS_ORACLE_GOOD);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_that_stops_at_one_tick_is_good),
        cmocka_unit_test(a_match_that_is_repaired_is_good),
        cmocka_unit_test(a_match_that_cannot_be_repaired_stops_and_is_good),
        cmocka_unit_test(what_a_policy_must_do_and_does_not_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
