// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

static void four_processes_agree_and_leave_a_recording(void **state)
{
    (void)state;
    const cli_run *run = cli("demo --ticks 120 --record demo.bks --wav demo.wav");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "agreed      all four computed the same 120 states");
    cli_expect(run->out, "rollbacks");
    cli_expect(run->out, "replay verify demo.bks");
    assert_null(strchr(run->out, '\033'));
    assert_int_equal(access("demo.bks", R_OK), 0);
    struct stat sound;
    assert_int_equal(stat("demo.wav", &sound), 0);
    assert_int_equal(sound.st_size, 44 + 2 * 48000 * 4); // two seconds
}

static void one_path_for_two_files_is_refused(void **state)
{
    (void)state;
    const cli_run *run = cli("demo --record same --wav same");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "given with the same path, expected two");
    run = cli("demo --menu --wav demo.wav");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "--wav and --menu: given together");
}

// Processes named bks that run in the test's folder. There may be others on this machine.
static int count_children(void)
{
    char command[1024];
    snprintf(command, sizeof(command),
             "for p in /proc/[0-9]*; do [ \"$(readlink $p/cwd)\" = '%s' ] && "
             "tr '\\0' ' ' <$p/cmdline | grep -q '^bks play' && echo $p; done | wc -l >count.txt",
             cli_folder());
    (void)!system(command);
    int count = -1;
    (void)sscanf(cli_read("count.txt"), "%d", &count);
    return count;
}

// Wait until there are `wanted`, for less than the five seconds after which a peer gives up by
// itself.
static void assert_children(int wanted)
{
    const uint64_t end = tool_clock_ns(NULL) + UINT64_C(3500000000);
    int count = count_children();
    while (count != wanted && tool_clock_ns(NULL) < end) {
        tool_sleep_ns(UINT64_C(50000000));
        count = count_children();
    }
    assert_int_equal(count, wanted);
}

static void assert_leaves_no_process_behind(int number, int status)
{
    const pid_t demo = cli_start("demo --ticks 100000 --record demo.bks", "left");
    assert_children(3);
    assert_int_equal(kill(demo, number), 0);
    assert_int_equal(cli_wait(demo), status);
    assert_children(0);
}

static void an_interrupt_ends_all_four(void **state)
{
    (void)state;
    assert_leaves_no_process_behind(SIGINT, TOOL_OK);
}

static void no_process_outlives_a_demo_that_is_killed(void **state)
{
    (void)state;
    assert_leaves_no_process_behind(SIGKILL, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_processes_agree_and_leave_a_recording),
        cmocka_unit_test(one_path_for_two_files_is_refused),
        cmocka_unit_test(an_interrupt_ends_all_four),
        cmocka_unit_test(no_process_outlives_a_demo_that_is_killed),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
