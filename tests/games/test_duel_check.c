// SPDX-License-Identifier: MIT

// The lab plants faults by flipping bits; a game with a flipped bit must stand still, not crash.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "duel/check.h"
#include "duel/duel.h"
#include "duel_help.h"
#include "support/seed.h"

static uint64_t seed;

typedef struct setting {
    const char *mode, *map, *wave;
    uint32_t players;
    bks_tick tick; ///< at which bits flip
} setting;

static const setting settings[] = {
    {"versus", "plain", "1", 2, 300},  {"versus", "cross", "1", 3, 2600},
    {"versus", "lanes", "1", 1, 1000}, {"arcade", "cross", "30", 4, 900},
    {"arcade", "plain", "1", 2, 200},
};
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]), FLIPS = 1500, TICKS_AFTER = 24 };

static void play(bksi_runner *runner, bks_tick from, bks_tick ticks, uint64_t memory[DUEL_SEATS][8])
{
    for (bks_tick tick = from; tick < from + ticks; tick++) {
        duel_input inputs[DUEL_SEATS] = {0};
        duel_help_bots(runner, tick, memory, inputs);
        bksi_runner_step(runner, tick, &inputs[0].move_x);
    }
}

static void flip(bksi_runner *runner, uint64_t draw)
{
    uint8_t *bytes = bksi_runner_state(runner);
    bytes[bksi_runner_draw_offset(runner, NULL, draw >> 3, (uint32_t)(draw & 7))] ^=
        (uint8_t)(1u << (draw & 7));
}

static void any_flipped_bit_is_borne(void **state)
{
    (void)state;
    uint32_t stood_still = 0;
    for (uint32_t i = 0; i < SETTINGS; i++) {
        const setting *at = &settings[i];
        bksi_runner *runner = duel_help_open(at->mode, at->map, at->wave, at->players, seed);
        uint64_t memory[DUEL_SEATS][8] = {{0}};
        play(runner, 0, at->tick, memory);
        assert_null(duel_check(bksi_runner_state(runner)));
        assert_true(bksi_runner_save(runner, 0) > 0);
        bks_random random;
        bks_random_seed(&random, seed, i);
        for (uint32_t flips = 0; flips < seed_rounds(FLIPS); flips++) {
            uint64_t thoughts[DUEL_SEATS][8];
            memcpy(thoughts, memory, sizeof(thoughts));
            flip(runner, (uint64_t)bks_random_next(&random) << 20 ^ bks_random_next(&random));
            stood_still += duel_check(bksi_runner_state(runner)) != NULL;
            play(runner, at->tick, TICKS_AFTER, thoughts);
            char score[64];
            duel_score(bksi_runner_state(runner), 0, score);
            bksi_runner_load(runner, 0);
        }
        bksi_runner_destroy(runner);
    }
    assert_true(stood_still > 0); // so the check did something
}

static void match_that_is_not_sound_stands_still_but_for_its_tick(void **state)
{
    (void)state;
    bksi_runner *runner = duel_help_open("versus", "plain", "1", 2, seed);
    const bks_tick tick = duel_help_start_round(runner);
    duel_state *duel = bksi_runner_state(runner);
    duel_ship_of(duel, 1)->side = 7;
    static duel_state before;
    before = *duel;
    duel_help_idle(runner, tick, 1);
    before.tick++;
    assert_memory_equal(&before, duel, sizeof(before));
    bksi_runner_destroy(runner);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_flipped_bit_is_borne),
        cmocka_unit_test(match_that_is_not_sound_stands_still_but_for_its_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
