// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/present.h"

#define FRAMES 12000u

static float samples[FRAMES];

/// Count how often a part of the sound rises through 0.
static uint32_t waves(uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t i = from + 1; i < to; i++) {
        count += samples[i - 1] < 0.0f && samples[i] >= 0.0f ? 1 : 0;
    }
    return count;
}

static void a_tone_glides_from_one_frequency_to_the_other(void **context)
{
    (void)context;
    const bks_sound sound = bks_tone(samples, FRAMES, 400.0f, 1200.0f);
    assert_ptr_equal(sound.samples, samples);
    assert_int_equal(sound.frames, FRAMES);
    assert_in_range(waves(0, FRAMES), 198, 201); // 800 Hz on the average, a quarter of a second
    assert_in_range(waves(0, 1200), 10, 12);
    assert_in_range(waves(FRAMES - 1200, FRAMES), 28, 30);
}

static void a_tone_clicks_neither_at_its_beginning_nor_at_its_end(void **context)
{
    (void)context;
    (void)bks_tone(samples, FRAMES, 1000.0f, 1000.0f);
    assert_true(samples[0] == 0.0f);
    assert_true(samples[FRAMES - 1] < 0.001f && samples[FRAMES - 1] > -0.001f);
    for (uint32_t i = 0; i < FRAMES; i++) {
        assert_true(samples[i] <= 0.3f && samples[i] >= -0.3f);
    }
}

static void what_is_no_tone_gives_no_sound(void **context)
{
    (void)context;
    assert_null(bks_tone(NULL, FRAMES, 400.0f, 400.0f).samples);
    assert_null(bks_tone(samples, 0, 400.0f, 400.0f).samples);
    assert_null(bks_tone(samples, FRAMES, 0.5f, 400.0f).samples);
    assert_null(bks_tone(samples, FRAMES, 400.0f, 20001.0f).samples);
    assert_null(bks_tone(samples, FRAMES, 400.0f, 0.0f / (samples[0] - samples[0])).samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tone_glides_from_one_frequency_to_the_other),
        cmocka_unit_test(a_tone_clicks_neither_at_its_beginning_nor_at_its_end),
        cmocka_unit_test(what_is_no_tone_gives_no_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
