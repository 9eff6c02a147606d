// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/oracle.h"
#include "lab/oracle_internal.h"
#include "pad/pad.h"

#define MS_NS UINT64_C(1000000)

enum { PEERS = 4, MATCH_MS = 20000, LATE_MS = 100 };

/// Return the expectation of a match of 20 s with 4 peers.
static bks_lab_expectation expectation_with(uint64_t late_ms, uint64_t drop_ms, const char *spec)
{
    static bks_lab_faults faults;
    bks_error error = {0};
    bks_lab_config config = bks_lab_config_default();
    config.game = &pad_game;
    config.peers = PEERS;
    memset(&faults, 0, sizeof(faults));
    if (bks_lab_faults_parse(&config, spec, &faults, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    bks_lab_expectation expected;
    const bks_lab_terms terms = {PEERS, MATCH_MS * MS_NS, late_ms * MS_NS, drop_ms * MS_NS};
    assert_int_equal(bks_lab_expect(faults.timed, faults.timed_count, &terms, &expected), BKS_OK);
    return expected;
}

static bks_lab_expectation expectation_of(const char *spec)
{
    return expectation_with(LATE_MS, 5000, spec);
}

static void a_fault_ends_when_no_peer_waits_for_another(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint64_t over_ms;
    } cases[] = {
        {"heal@3s", 3000},
        {"pause=1@2s+800ms", 2800},
        {"pause=1@2s+800ms,cut=0-2@1s+500ms", 2800},
        {"slow=1@2s+1s:2x,drift=2:+100ppm,clock=0@1s+5s", 3000},
        {"rebind=1@4s", 4000},
        {"crash=3@2s", 2000 + 5000 + 2 * LATE_MS},
        {"leave=3@2s", 2000 + 5000 + 2 * LATE_MS}, // the goodbye may be cut off
        // A peer that pauses does not notice that another is silent.
        {"forge=3@2s+3s", 2000 + 3000 + 5000 + 2 * LATE_MS},
        {"crash=3@2s,pause=1@3s+1s", 2000 + 5000 + 2 * LATE_MS + 1000},
        {"crash=3@2s,pause=1@1s+1s", 2000 + 5000 + 2 * LATE_MS},
        // Endless cuts: packets are carried by others, or the peer is dropped.
        {"cut=0-1@2s+900s", 2000},
        {"split=0.1/2.3@2s+900s", 2000 + 5000 + 2 * LATE_MS},
        {"cut=0-1@2s+900s,crash=2@0s,crash=3@0s", 2000 + 5000 + 2 * LATE_MS},
        // The peers that carried packets may be gone.
        {"cut=0-1@2s+900s,pause=2@1s+3s", 4000},
        {"cut=0-1@2s+900s,pause=2@1s+4s", 2000 + 5000 + 2 * LATE_MS + 4000},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint64_t over_ns = expectation_of(cases[i].spec).over_ns;
        if (over_ns != cases[i].over_ms * MS_NS) {
            fail_msg("%s ends after %llu ms", cases[i].spec, (unsigned long long)(over_ns / MS_NS));
        }
    }
    assert_true(expectation_of("heal@3s").has_heal);
    assert_false(expectation_of("pause=1@2s+800ms").has_heal);
}

static void only_a_peer_that_was_silent_for_long_may_be_dropped(void **state)
{
    (void)state;
    static const char *const together[] = {
        "heal@3s",
        "pause=1@2s+2400ms",
        "pause=1@2s+1s,full=2@2s+1s,split=0/1@2s+1s,cut=1-2@1s+1s",
        "slow=1@2s+9s:9x,rebind=1@4s,lie=2@3s",
        "cut=0-1@0s+900s",                 // peers 2 and 3 reach both
        "cut=0-1@0s+900s,cut=0-2@0s+900s", // peer 3 reaches all
        "split=0/1@0s+900s",               // peers of neither group reach both
        "pause=2@1s+3s,cut=0-1@0s+900s",
        "forge=2@1s+1s",
        "leave=2@1s",                 // a goodbye is another reason
        "cut=0-1@0s+900s,leave=2@9s", // peer 3 still reaches both
    };
    static const char *const apart[] = {
        "crash=2@1s",
        "forge=2@1s+1s,pause=1@4s+1s", // the forger may have a paused peer dropped
        "forge=2@1s+1s,leave=1@4s",
        "pause=1@2s+4s",
        "full=1@2s+2s,pause=2@9s+2s",
        "split=0.1/2.3@2s+5s",
        "cut=0-1@0s+9s,leave=2@9s,leave=3@9s", // no peer is left that reaches both
        "cut=0-1@0s+900s,crash=2@9s", // peer 3 still reaches both, but a crash may part peers
        "cut=0-1@0s+9s,cut=0-2@0s+9s,cut=0-3@0s+9s",
        "cut=0-1@0s+900s,cut=0-2@0s+900s,cut=1-3@0s+900s", // no peer reaches both 0 and 1
    };
    for (size_t i = 0; i < sizeof(together) / sizeof(together[0]); i++) {
        if (expectation_of(together[i]).may_part) {
            fail_msg("%s drops a peer", together[i]);
        }
    }
    for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
        if (!expectation_of(apart[i]).may_part) {
            fail_msg("%s drops no peer", apart[i]);
        }
    }
}

static void a_drop_after_too_short_for_the_line_is_raised(void **state)
{
    (void)state;
    assert_true(expectation_with(1000, 6000, "crash=3@2s").over_ns == (2000 + 6000 + 2000) * MS_NS);
    assert_true(expectation_with(1000, 1000, "crash=3@2s").over_ns == (2000 + 6000 + 2000) * MS_NS);
    assert_true(expectation_with(150, 100, "crash=3@2s").over_ns == (2000 + 2600 + 300) * MS_NS);
}

static void a_goodbye_is_expected(void **state)
{
    (void)state;
    assert_int_equal(expectation_of("leave=2@1s,leave=0@3s,crash=1@2s").leavers, 5);
}

static void peers_that_cannot_talk_at_the_end_are_known(void **state)
{
    (void)state;
    bks_lab_expectation expected = expectation_of("cut=0-1@2s+900s,split=2/3@1s+30s,cut=1-2@1s+9s");
    assert_int_equal(expected.apart[0], 1u << 1);
    assert_int_equal(expected.apart[1], 1u << 0);
    assert_int_equal(expected.apart[2], 1u << 3);
    assert_int_equal(expected.apart[3], 1u << 2);
    expected = expectation_of("split=0.1/2@1s+19s");
    assert_int_equal(expected.apart[0], 1u << 2);
    assert_int_equal(expected.apart[2], 3u);
    assert_int_equal(expected.apart[3], 0);
    // A peer that cannot send still plays, and one that pauses does not.
    expected = expectation_of("full=1@2s+900s");
    assert_int_equal(expected.apart[0], 1u << 1);
    assert_int_equal(expected.apart[1], 13u);
    expected = expectation_of("split=0.1/2@1s+18s,pause=1@1s+900s");
    assert_int_equal(expected.apart[0] | expected.apart[1] | expected.apart[2], 0);
}

static void the_worst_finding_is_kept_and_of_equals_the_first(void **state)
{
    (void)state;
    bks_oracle_verdict verdict = {.kind = BKS_ORACLE_GOOD, .tick = BKS_TICK_NONE};
    bksi_oracle_fail(&verdict, BKS_ORACLE_GOOD, 1, "nothing");
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.tick, BKS_TICK_NONE);
    bksi_oracle_fail(&verdict, BKS_ORACLE_UNSAFE, 7, "peer %d differs", 3);
    assert_int_equal(verdict.kind, BKS_ORACLE_UNSAFE);
    assert_int_equal(verdict.tick, 7);
    assert_string_equal(verdict.why, "peer 3 differs");
    bksi_oracle_fail(&verdict, BKS_ORACLE_UNSAFE, 8, "peer 4 differs");
    bksi_oracle_fail(&verdict, BKS_ORACLE_DEAD, 9, "it never ended");
    assert_string_equal(verdict.why, "peer 3 differs");
    assert_int_equal(verdict.tick, 7);
    bksi_oracle_fail(&verdict, BKS_ORACLE_VARIES, 9, "again it was another match");
    assert_int_equal(verdict.kind, BKS_ORACLE_VARIES);
    assert_int_equal(verdict.tick, 9);
}

static void a_sentence_that_is_too_long_is_cut(void **state)
{
    (void)state;
    bks_oracle_verdict verdict = {.kind = BKS_ORACLE_GOOD};
    bksi_oracle_fail(&verdict, BKS_ORACLE_DEAD, 0, "%0300d", 5);
    assert_int_equal(strlen(verdict.why), sizeof(verdict.why) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_ends_when_no_peer_waits_for_another),
        cmocka_unit_test(only_a_peer_that_was_silent_for_long_may_be_dropped),
        cmocka_unit_test(a_drop_after_too_short_for_the_line_is_raised),
        cmocka_unit_test(a_goodbye_is_expected),
        cmocka_unit_test(peers_that_cannot_talk_at_the_end_are_known),
        cmocka_unit_test(the_worst_finding_is_kept_and_of_equals_the_first),
        cmocka_unit_test(a_sentence_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
