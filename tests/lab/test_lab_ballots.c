// SPDX-License-Identifier: MIT

// Ballots in whole matches: a peer that comes back in time stays, and none is dropped that reaches
// the others.

#include "some_lab.h"

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

/// Two freeze, one after the other, while the ballot about the first needs the second's answer;
/// then the other two lose each other. From 12.9 s on every peer reaches every other through one.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peers_that_come_back_before_the_ballot_is_decided_stay),
        cmocka_unit_test(a_peer_that_ignores_what_was_taken_back_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
