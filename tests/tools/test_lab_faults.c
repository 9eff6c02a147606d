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

/// The counts of a run, as its JSON tells them.
typedef struct told_counts {
    uint32_t count;
    char names[40][24];
    long values[40];
} told_counts;

static const told_counts *run_lab(const char *arguments)
{
    static told_counts told;
    char command[512];
    snprintf(command, sizeof(command), "lab pad --ticks 300 --json %s", arguments);
    const cli_run *run = cli(command);
    const char *at = strstr(run->out, "\"faults\": {");
    const char *end = at != NULL ? strchr(at, '}') : NULL;
    if (end == NULL) {
        fail_msg("%s: no faults in JSON: %s%s", arguments, run->out, run->err);
    }
    memset(&told, 0, sizeof(told));
    at = strchr(at, '{') + 1;
    while ((at = strchr(at, '"')) != NULL && at < end) {
        const size_t length = strcspn(at + 1, "\"");
        assert_true(told.count < 40 && length < sizeof(told.names[0]));
        memcpy(told.names[told.count], at + 1, length);
        at = strchr(at, ':') + 1;
        told.values[told.count++] = strtol(at, NULL, 10);
    }
    return &told;
}

static long value_of(const told_counts *told, const char *name)
{
    for (uint32_t i = 0; i < told->count; i++) {
        if (strcmp(told->names[i], name) == 0) {
            return told->values[i];
        }
    }
    fail_msg("%s is not told", name);
    return 0;
}

/// All other faults must be 0.
static void assert_alone(const char *arguments, const told_counts *told, const char *name)
{
    for (uint32_t i = 0; i < told->count; i++) {
        if (strcmp(told->names[i], name) != 0 && told->values[i] != 0) {
            fail_msg("%s: %s is %ld", arguments, told->names[i], told->values[i]);
        }
    }
}

static void a_match_without_faults_counts_none(void **state)
{
    (void)state;
    const told_counts *told = run_lab("--peers 3 --link delay=40ms,jitter=10ms");
    assert_true(told->count >= 18);
    assert_alone("", told, "");
}

static void what_a_link_does_is_counted_by_the_packet(void **state)
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
        {"--link '0>1:rate=8kbit'", "rate", 50, 320},
        {"--players-per-peer 8 --link delay=200ms,mtu=450", "mtu", 1, 2000},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const told_counts *told = run_lab(cases[i].arguments);
        const long value = value_of(told, cases[i].name);
        if (value < cases[i].least || value > cases[i].most) {
            fail_msg("%s: %s is %ld", cases[i].arguments, cases[i].name, value);
        }
        assert_alone(cases[i].arguments, told, cases[i].name);
    }
}

static void what_comes_at_a_time_is_counted_once_when_it_had_an_effect(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        const char *name;
    } cases[] = {
        {"pause=1@2s+300ms", "pause"}, {"crash=2@3s", "crash"},
        {"cut=0-1@2s+300ms", "cut"},   {"split=0.1/2@2s+300ms", "split"},
        {"drift=1:+200ppm", "drift"},  {"clock=1@2s-3s", "clock"},
        {"slow=2@2s+1s:3x", "slow"},   {"rebind=1@2s", "rebind"},
        {"full=1@2s+300ms", "full"},   {"lie=1@2s", "lie"},
        {"flip=1@200:byte", "flip"},   {"heal@2s", "heal"},
        {"leave=1@2s", "leave"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char arguments[128];
        snprintf(arguments, sizeof(arguments), "--peers 3 --fault %s", cases[i].fault);
        const told_counts *told = run_lab(arguments);
        if (value_of(told, cases[i].name) != 1) {
            fail_msg("%s: %s is %ld", arguments, cases[i].name, value_of(told, cases[i].name));
        }
        assert_alone(arguments, told, cases[i].name);
    }
}

static void what_had_no_effect_is_not_counted(void **state)
{
    (void)state;
    static const char *const cases[] = {
        // No share of nothing, and nothing that is too long.
        "--link loss=0%,dup=0%,reorder=0%,corrupt=0%",
        "--link rate=10mbit,mtu=1500",
        // No time, or after the end.
        "--fault pause=1@2s+0s,cut=0-1@2s+0s,full=0@2s+0s,slow=1@2s+0s:3x",
        "--fault pause=1@9s+1s,crash=1@9s,cut=0-1@9s+1s,clock=1@9s+1s,slow=1@9s+1s:3x,"
        "rebind=1@9s,full=1@9s+1s,lie=1@9s,leave=1@9s,heal@9s",
        "--fault split=0/1@9s+1s,drift=1:+0ppm",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_alone(cases[i], run_lab(cases[i]), "");
    }
}

static void what_befalls_a_peer_that_crashed_is_not_counted(void **state)
{
    (void)state;
    static const char *const faults[] = {"pause=2@2s+300ms", "clock=2@2s-3s",    "slow=2@2s+1s:3x",
                                         "rebind=2@2s",      "full=2@2s+300ms",  "lie=2@2s",
                                         "flip=2@200:byte",  "cut=2-1@2s+300ms", "leave=2@2s"};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        char arguments[128];
        snprintf(arguments, sizeof(arguments), "--peers 3 --fault crash=2@1s,%s", faults[i]);
        const told_counts *told = run_lab(arguments);
        assert_int_equal(value_of(told, "crash"), 1);
        assert_alone(arguments, told, "crash");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_without_faults_counts_none),
        cmocka_unit_test(what_a_link_does_is_counted_by_the_packet),
        cmocka_unit_test(what_comes_at_a_time_is_counted_once_when_it_had_an_effect),
        cmocka_unit_test(what_had_no_effect_is_not_counted),
        cmocka_unit_test(what_befalls_a_peer_that_crashed_is_not_counted),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
