// SPDX-License-Identifier: MIT

// Every fault of `bks lab` is counted when it really fired, and only then.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

/// Counts of a run, from its JSON.
typedef struct fault_counts {
    uint32_t count;
    char names[40][24];
    long values[40];
} fault_counts;

static const fault_counts *run_lab(const char *arguments)
{
    static fault_counts counts;
    char command[512];
    snprintf(command, sizeof(command), "lab pad --ticks 300 --json %s", arguments);
    const cli_run *run = cli(command);
    const char *at = strstr(run->out, "\"faults\": {");
    const char *end = at != NULL ? strchr(at, '}') : NULL;
    if (end == NULL) {
        fail_msg("%s: no faults in JSON: %s%s", arguments, run->out, run->err);
    }
    memset(&counts, 0, sizeof(counts));
    at = strchr(at, '{') + 1;
    while ((at = strchr(at, '"')) != NULL && at < end) {
        const size_t length = strcspn(at + 1, "\"");
        assert_true(counts.count < 40 && length < sizeof(counts.names[0]));
        memcpy(counts.names[counts.count], at + 1, length);
        at = strchr(at, ':') + 1;
        counts.values[counts.count++] = strtol(at, NULL, 10);
    }
    return &counts;
}

static long value_of(const fault_counts *counts, const char *name)
{
    for (uint32_t i = 0; i < counts->count; i++) {
        if (strcmp(counts->names[i], name) == 0) {
            return counts->values[i];
        }
    }
    fail_msg("%s is not there", name);
    return 0;
}

/// Check that all other faults have a count of 0.
static void assert_alone(const char *arguments, const fault_counts *counts, const char *name)
{
    for (uint32_t i = 0; i < counts->count; i++) {
        if (strcmp(counts->names[i], name) != 0 && counts->values[i] != 0) {
            fail_msg("%s: %s is %ld", arguments, counts->names[i], counts->values[i]);
        }
    }
}

static void a_match_without_faults_counts_none(void **state)
{
    (void)state;
    const fault_counts *counts = run_lab("--peers 3 --link delay=40ms,jitter=10ms");
    assert_true(counts->count >= 18);
    assert_alone("", counts, "");
}

static void the_faults_of_a_link_are_counted_by_the_packet(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        const char *name;
        long least;
        long most;
    } cases[] = {
        // About 320 packets each way and another direction that is perfect.
        {"--link '0>1:loss=10%'", "loss", 15, 60},
        {"--link '0>1:loss=10%,burst=4'", "loss", 5, 90},
        {"--link '0>1:dup=10%'", "dup", 15, 60},
        {"--link '0>1:reorder=10%'", "reorder", 15, 60},
        {"--link '0>1:corrupt=10%'", "corrupt", 15, 60},
        {"--link '0>1:rate=8kbit'", "rate", 20, 420},
        {"--bulk '0>1:100KiB@1s' --link mtu=450", "mtu", 1, 2000},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const fault_counts *counts = run_lab(cases[i].arguments);
        const long value = value_of(counts, cases[i].name);
        if (value < cases[i].least || value > cases[i].most) {
            fail_msg("%s: %s is %ld", cases[i].arguments, cases[i].name, value);
        }
        assert_alone(cases[i].arguments, counts, cases[i].name);
    }
}

static void a_fault_at_a_time_is_counted_once_when_it_had_an_effect(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        const char *name;
    } cases[] = {
        {"pause=1@2s+300ms", "pause"},
        {"crash=2@3s", "crash"},
        {"cut=0-1@2s+300ms", "cut"},
        {"split=0.1/2@2s+300ms", "split"},
        {"drift=1:+200ppm", "drift"},
        {"clock=1@2s-3s", "clock"},
        {"slow=2@2s+1s:3x", "slow"},
        {"rebind=1@2s", "rebind"},
        {"full=1@2s+300ms", "full"},
        {"lie=1@2s", "lie"},
        {"flip=1@200:byte", "flip"},
        {"heal@2s", "heal"},
        {"leave=1@2s", "leave"},
        {"rate=0-1@2s:1mbit", "rate_change"},
        {"fill=0-1@2s:10ms --link rate=10mbit", "fill"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char arguments[128];
        snprintf(arguments, sizeof(arguments), "--peers 3 --fault %s", cases[i].fault);
        const fault_counts *counts = run_lab(arguments);
        if (value_of(counts, cases[i].name) != 1) {
            fail_msg("%s: %s is %ld", arguments, cases[i].name, value_of(counts, cases[i].name));
        }
        assert_alone(arguments, counts, cases[i].name);
    }
}

static void a_fault_without_effect_is_not_counted(void **state)
{
    (void)state;
    static const char *const cases[] = {
        // Shares of 0, and no packet that is too long.
        "--link loss=0%,dup=0%,reorder=0%,corrupt=0%",
        "--link rate=10mbit,mtu=1500",
        // Faults without duration, or after the end.
        "--fault pause=1@2s+0s,cut=0-1@2s+0s,full=0@2s+0s,slow=1@2s+0s:3x",
        "--fault pause=1@9s+1s,crash=1@9s,cut=0-1@9s+1s,clock=1@9s+1s,slow=1@9s+1s:3x,"
        "rate=0-1@9s:1mbit,fill=0-1@9s:100ms,rebind=1@9s,full=1@9s+1s,lie=1@9s,leave=1@9s,heal@9s",
        "--fault split=0/1@9s+1s,drift=1:+0ppm",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_alone(cases[i], run_lab(cases[i]), "");
    }
}

static void faults_of_a_crashed_peer_are_not_counted(void **state)
{
    (void)state;
    static const char *const faults[] = {"pause=2@2s+300ms", "clock=2@2s-3s",    "slow=2@2s+1s:3x",
                                         "rebind=2@2s",      "full=2@2s+300ms",  "lie=2@2s",
                                         "flip=2@200:byte",  "cut=2-1@2s+300ms", "leave=2@2s"};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        char arguments[128];
        snprintf(arguments, sizeof(arguments), "--peers 3 --fault crash=2@1s,%s", faults[i]);
        const fault_counts *counts = run_lab(arguments);
        assert_int_equal(value_of(counts, "crash"), 1);
        assert_alone(arguments, counts, "crash");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_without_faults_counts_none),
        cmocka_unit_test(the_faults_of_a_link_are_counted_by_the_packet),
        cmocka_unit_test(a_fault_at_a_time_is_counted_once_when_it_had_an_effect),
        cmocka_unit_test(a_fault_without_effect_is_not_counted),
        cmocka_unit_test(faults_of_a_crashed_peer_are_not_counted),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
