// SPDX-License-Identifier: MIT

// A check that nothing can fail checks nothing: each mutant must be found.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mutant.h"
#include "base/tool.h"
#include "cli.h"

static void each_mutant_is_found_within_200_seeds(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < BKSI_MUTANT_COUNT; i++) {
        const char *name = bksi_mutant_name((bksi_mutant)i);
        char command[128];
        char seed[64];
        snprintf(command, sizeof(command), "sweep pad --seeds 1..200 --no-shrink --plant %s --json",
                 name);
        const cli_run *run = cli(command);
        if (run->status != TOOL_NO) {
            fail_msg("%s is not found: %s%s", name, run->out, run->err);
        }
        cli_value(run->out, "seed", seed, sizeof(seed));
        print_message("%-22s seed %s\n", name, seed);
    }
}

/// A fault in closing recordings has one chance for each goodbye.
static void recorded_guesses_are_found_within_20_seeds(void **state)
{
    (void)state;
    static const char *const games[] = {"duel", "pad"};
    for (size_t i = 0; i < sizeof(games) / sizeof(games[0]); i++) {
        char command[128];
        snprintf(command, sizeof(command),
                 "sweep %s --seeds 1..20 --no-shrink --plant closing-seals-guesses --json",
                 games[i]);
        const cli_run *run = cli(command);
        assert_int_equal(run->status, TOOL_NO);
        assert_non_null(strstr(run->out, "the recording of peer"));
    }
}

static void each_mutant_says_what_goes_wrong(void **state)
{
    (void)state;
    assert_true(BKSI_MUTANT_COUNT > 10);
    assert_null(bksi_mutant_name(BKSI_MUTANT_NONE));
    assert_null(bksi_mutant_about(BKSI_MUTANT_NONE));
    assert_null(bksi_mutant_name(BKSI_MUTANT_COUNT));
    for (uint32_t i = 1; i < BKSI_MUTANT_COUNT; i++) {
        assert_non_null(bksi_mutant_name((bksi_mutant)i));
        assert_true(strlen(bksi_mutant_about((bksi_mutant)i)) > 10);
    }
    assert_int_equal(bksi_mutant_now, BKSI_MUTANT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mutant_is_found_within_200_seeds),
        cmocka_unit_test(recorded_guesses_are_found_within_20_seeds),
        cmocka_unit_test(each_mutant_says_what_goes_wrong),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
