// SPDX-License-Identifier: MIT

// Each mutant must be found by a sweep: a check that cannot fail is worthless.

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

#define ORDERS BKS_TEST_BINARY_DIR "/tests/games/pad_orders.so"

/// Sweep that finds a mutant.
typedef struct place {
    unsigned seed;      ///< seed; 0: 1
    const char *policy; ///< policy; NULL: drawn
    const char *game;   ///< game; NULL: pad
} place;

/// The packets of a session decide what its links draw, so a changed session may need another seed:
/// then the test searches for one and prints it, to be entered here.
static const place places[BKSI_MUTANT_COUNT] = {
    [BKSI_MUTANT_AFTER] = {.seed = 2},
    [BKSI_MUTANT_DELAY] = {.seed = 4},
    [BKSI_MUTANT_END] = {.seed = 2},
    [BKSI_MUTANT_KEPT] = {.seed = 2},
    [BKSI_MUTANT_SLOT] = {.seed = 2},
    [BKSI_MUTANT_TARGET] = {.seed = 10},
    [BKSI_MUTANT_EARLY] = {.seed = 2},
    [BKSI_MUTANT_SLOW] = {.seed = 21},
    [BKSI_MUTANT_CARRIED] = {.seed = 14},
    [BKSI_MUTANT_ECHO] = {.seed = 14},
    [BKSI_MUTANT_UNASKED] = {.seed = 121},
    [BKSI_MUTANT_TAKEBACK] = {.seed = 46},
    [BKSI_MUTANT_HANDOVER] = {.seed = 2},
    [BKSI_MUTANT_UNSEEN] = {.seed = 7},
    [BKSI_MUTANT_LOBBY] = {.seed = 35},
    [BKSI_MUTANT_LOADING] = {.seed = 35},
    [BKSI_MUTANT_EAGER] = {.seed = 26},
    [BKSI_MUTANT_FAREWELL] = {.seed = 79},
    [BKSI_MUTANT_HALVES] = {.seed = 97},
    [BKSI_MUTANT_GONE] = {.seed = 63},
    [BKSI_MUTANT_LEAVER] = {.seed = 2},
    [BKSI_MUTANT_BACKOFF] = {.seed = 10},
    [BKSI_MUTANT_STREAM] = {.seed = 42},
    [BKSI_MUTANT_CLOSING] = {.seed = 2},
    [BKSI_MUTANT_CUE_RESTART] = {.seed = 16},
    [BKSI_MUTANT_CUE_RINGS] = {.seed = 16},
    [BKSI_MUTANT_SILENCE] = {.seed = 26},
    [BKSI_MUTANT_DISTURBED] = {.seed = 37},
    [BKSI_MUTANT_SHARE] = {.seed = 11},
    [BKSI_MUTANT_LANE_EARLY] = {.seed = 1, .game = ORDERS},
    [BKSI_MUTANT_LANE_DEAD] = {.seed = 51, .game = ORDERS},
    [BKSI_MUTANT_UNCHECKED] = {.seed = 121},
    [BKSI_MUTANT_UNBOUNDED] = {.seed = 8},
    [BKSI_MUTANT_FEED_SKIPS] = {.seed = 15},
    [BKSI_MUTANT_FEED_DOUBLES] = {.seed = 23},
    [BKSI_MUTANT_FEED_WAITS] = {.seed = 37},
    [BKSI_MUTANT_FEED_MISHEARS] = {.seed = 15},
    [BKSI_MUTANT_NOISE] = {.seed = 3},
    [BKSI_MUTANT_PAUSE] = {.seed = 22},
    [BKSI_MUTANT_STOP_NEVER] = {.seed = 5, .policy = "stop"},
    [BKSI_MUTANT_STOP_UNTOLD] = {.seed = 5, .policy = "stop"},
    [BKSI_MUTANT_STOP_NEAR] = {.seed = 5, .policy = "stop"},
    [BKSI_MUTANT_MEET_NEVER] = {.seed = 5, .policy = "resync"},
    [BKSI_MUTANT_MEND_NOTHING] = {.seed = 5, .policy = "resync"},
    [BKSI_MUTANT_MEND_AS_HOST] = {.seed = 14, .policy = "resync"},
    [BKSI_MUTANT_MEND_LATE] = {.seed = 5, .policy = "resync"},
    [BKSI_MUTANT_MEND_WIDE] = {.seed = 5, .policy = "resync"},
    [BKSI_MUTANT_MEND_UNTOLD] = {.seed = 5, .policy = "resync"},
};

static const cli_run *sweep_with(bksi_mutant mutant, unsigned first, unsigned last)
{
    const char *policy = places[mutant].policy;
    const char *game = places[mutant].game != NULL ? places[mutant].game : "pad";
    char command[400];
    snprintf(command, sizeof(command), "sweep %s --seeds %u..%u --no-shrink --plant %s --json%s%s",
             game, first, last, bksi_mutant_name(mutant), policy != NULL ? " --on-desync " : "",
             policy != NULL ? policy : "");
    return cli(command);
}

static void each_mutant_is_found_within_200_seeds(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < BKSI_MUTANT_COUNT; i++) {
        const bksi_mutant mutant = (bksi_mutant)i;
        const unsigned known = places[i].seed != 0 ? places[i].seed : 1;
        if (mutant == BKSI_MUTANT_MEND_OFTEN) {
            continue; // test_oracle_policy.c finds it: three flips that are repaired one by one are
                      // rare
        }
        if (mutant == BKSI_MUTANT_MEND_UNSOUND) {
            continue; // test_game_check.c finds it: two equal flips whose state the game refuses
                      // are rare
        }
        const cli_run *run = sweep_with(mutant, known, known);
        if (run->status == TOOL_OK) {
            char seed[64];
            run = sweep_with(mutant, 1, 200);
            cli_value(run->out, "seed", seed, sizeof(seed));
            print_message("%s is found at seed %s, not at %u any more\n", bksi_mutant_name(mutant),
                          seed, known);
        }
        if (run->status != TOOL_NO) {
            fail_msg("%s is not found: %s%s", bksi_mutant_name(mutant), run->out, run->err);
        }
    }
}

/// A fault in closing recordings has one chance for each goodbye.
static void recorded_guesses_are_found_within_30_seeds(void **state)
{
    (void)state;
    static const char *const games[] = {"duel", "pad"};
    for (size_t i = 0; i < sizeof(games) / sizeof(games[0]); i++) {
        char command[128];
        snprintf(command, sizeof(command),
                 "sweep %s --seeds 1..30 --no-shrink --plant closing-seals-guesses --json",
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
        cmocka_unit_test(recorded_guesses_are_found_within_30_seeds),
        cmocka_unit_test(each_mutant_says_what_goes_wrong),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
