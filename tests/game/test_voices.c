// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/game.h"
#include "support/catch_log.h"

static void step_voices(bks_voice *voices, uint32_t count, bks_tick tick, uint32_t rate_hz)
{
    const bks_step step = {.tick = tick, .tick_rate_hz = rate_hz};
    bks_voices_step(voices, count, &step);
}

static void cursors_of_voices_that_are_on_move_by_a_tick(void **state)
{
    (void)state;
    bks_voice voices[] = {{.is_on = 1}, {.cursor = 7, .is_on = 1, .is_loop = 1}, {.cursor = 9}};
    step_voices(voices, 3, 12, 60);
    assert_int_equal(voices[0].cursor, 800);
    assert_int_equal(voices[1].cursor, 807);
    assert_int_equal(voices[2].cursor, 9);
}

/// Where a tick is no whole number of frames, nothing may add up.
static void an_hour_of_ticks_is_an_hour_of_frames_at_every_rate(void **state)
{
    (void)state;
    static const uint32_t rates_hz[] = {1, 7, 10, 30, 60, 64, 144, 1000};
    for (size_t i = 0; i < sizeof(rates_hz) / sizeof(rates_hz[0]); i++) {
        bks_voice voice = {.is_on = 1};
        const bks_tick ticks = (bks_tick)(3600 * rates_hz[i]);
        const uint64_t least = BKS_SOUND_RATE_HZ / rates_hz[i];
        for (bks_tick tick = 0; tick < ticks; tick++) {
            const uint64_t before = voice.cursor;
            step_voices(&voice, 1, tick, rates_hz[i]);
            if (voice.cursor - before != least && voice.cursor - before != least + 1) {
                fail_msg("tick %d at %u Hz has %u frames", tick, rates_hz[i],
                         (unsigned)(voice.cursor - before));
            }
        }
        assert_int_equal(voice.cursor, 3600u * BKS_SOUND_RATE_HZ);
    }
}

static void a_tick_taken_back_and_stepped_again_moves_a_cursor_to_the_same_place(void **state)
{
    (void)state;
    bks_voice voice = {.is_on = 1};
    step_voices(&voice, 1, 100, 144);
    const bks_voice kept = voice;
    step_voices(&voice, 1, 101, 144);
    const uint64_t first = voice.cursor;
    voice = kept;
    step_voices(&voice, 1, 101, 144);
    assert_int_equal(voice.cursor, first);
}

static void missing_arguments_are_logged_and_move_nothing(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_voice voice = {.is_on = 1};
    bks_voices_step(&voice, 1, NULL);
    step_voices(NULL, 1, 0, 60);
    step_voices(&voice, 1, 7, 0); // a step made by hand that names no rate
    bks_log_clear_sink();
    assert_int_equal(log.count, 3);
    assert_int_equal(voice.cursor, 0);
    step_voices(NULL, 0, 0, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursors_of_voices_that_are_on_move_by_a_tick),
        cmocka_unit_test(an_hour_of_ticks_is_an_hour_of_frames_at_every_rate),
        cmocka_unit_test(a_tick_taken_back_and_stepped_again_moves_a_cursor_to_the_same_place),
        cmocka_unit_test(missing_arguments_are_logged_and_move_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
