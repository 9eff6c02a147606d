// SPDX-License-Identifier: MIT

// States that somebody made up, some taken and most refused: none leads a game out of its memory.

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "backstitch/det.h"
#include "hostile_state.h"
#include "nested_game.h"
#include "support/seed.h"

enum { CHANGES_MAX = 4 };

static uint64_t seed;
static uint32_t tries;
static bks_random dice;

/// One state with up to four changes.
static bool try_one(uint8_t which)
{
    uint8_t bytes[1 + 8 * CHANGES_MAX];
    const size_t count = 1 + 8 * (size_t)(1 + bks_random_below(&dice, CHANGES_MAX));
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)bks_random_next(&dice);
    }
    bytes[0] = which;
    return hostile_state_try(bytes, count);
}

static void no_state_leads_out_of_its_region(void **state)
{
    (void)state;
    uint32_t taken[HOSTILE_STATES] = {0};
    bks_random_seed(&dice, seed, 1);
    for (uint32_t i = 0; i < tries; i++) {
        taken[i % HOSTILE_STATES] += try_one((uint8_t)(i % HOSTILE_STATES));
    }
    for (uint32_t i = 0; i < HOSTILE_STATES; i++) {
        print_message("state %u: %u of %u were taken\n", i, taken[i], tries / HOSTILE_STATES);
        assert_true(taken[i] > 100); // or nothing behind the door was tried
        assert_true(taken[i] < tries / HOSTILE_STATES || i == 4);
    }
}

/// A memory fault needs no door: pools are used as they are then.
static void no_flipped_bit_leads_out_of_the_region(void **state)
{
    (void)state;
    bks_random_seed(&dice, seed, 3);
    for (uint32_t i = 0; i < tries / 10; i++) { // all are played on from, few of the above are
        const uint32_t first = HOSTILE_DAMAGED + HOSTILE_STATES - HOSTILE_DAMAGED % HOSTILE_STATES;
        (void)try_one((uint8_t)(first + i % HOSTILE_STATES));
    }
}

/// What is tried would find a reference that is followed without bounds.
static void a_reference_followed_blindly_is_found(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)close(STDERR_FILENO);     // what a sanitizer says of it
        (void)signal(SIGSEGV, SIG_DFL); // as it was before cmocka
        (void)signal(SIGBUS, SIG_DFL);
        nested_follows_blindly = true;
        bks_random_seed(&dice, seed, 2);
        for (uint32_t i = 0; i < 500; i++) {
            (void)try_one(HOSTILE_NESTED);
        }
        _exit(0);
    }
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

static int set_up(void **state)
{
    (void)state;
    hostile_state_open();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hostile_state_close();
    return 0;
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    tries = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : seed_rounds(20000);
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_state_leads_out_of_its_region),
        cmocka_unit_test(no_flipped_bit_leads_out_of_the_region),
        cmocka_unit_test(a_reference_followed_blindly_is_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
