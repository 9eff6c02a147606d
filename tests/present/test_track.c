// SPDX-License-Identifier: MIT

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "present/track.h"

enum { FRAMES = 4000 };

static float flat_samples[FRAMES];
static float counted_samples[100]; // frame i is i / 100
static const bks_sound flat = {flat_samples, FRAMES};
static const bks_sound counted = {counted_samples, 100};
static float out[2 * FRAMES];

static int set_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FRAMES; i++) {
        flat_samples[i] = 1.0f;
    }
    for (uint32_t i = 0; i < 100; i++) {
        counted_samples[i] = (float)i / 100.0f;
    }
    return 0;
}

static void mix(bksi_track *track, uint32_t frames)
{
    memset(out, 0, sizeof(out));
    bksi_track_mix(track, out, frames);
}

static void a_sound_is_heard_from_its_first_frame_with_full_loudness(void **state)
{
    (void)state;
    bksi_track track = {0};
    bksi_track_begin(&track, &counted, 0, 1.0f, 0.0f);
    track.serial = 1;
    mix(&track, 120);
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(out[2 * i] == counted_samples[i] && out[2 * i + 1] == counted_samples[i]);
    }
    assert_true(out[2 * 100] == 0.0f);
    assert_null(track.sound);
}

static void pan_takes_from_the_other_side(void **state)
{
    (void)state;
    bksi_track track = {0};
    bksi_track_begin(&track, &flat, 0, 0.5f, -1.0f);
    mix(&track, 1);
    assert_true(out[0] == 0.5f && out[1] == 0.0f);
    bksi_track_begin(&track, &flat, 0, 0.5f, 0.5f);
    mix(&track, 1);
    assert_true(out[0] == 0.25f && out[1] == 0.5f);
}

static void a_loop_goes_on_at_its_beginning_whatever_the_size_of_a_mix(void **state)
{
    (void)state;
    bksi_track track = {0};
    bksi_track_begin(&track, &counted, 0, 1.0f, 0.0f);
    track.is_loop = true;
    for (uint32_t at = 0; at < 1000; at += 70) {
        mix(&track, 70);
        for (uint32_t i = 0; i < 70; i++) {
            assert_true(out[2 * i] == counted_samples[(at + i) % 100]);
        }
    }
    mix(&track, 350); // more than three rounds at once
    assert_true(out[2 * 349] == counted_samples[(1050 + 349) % 100]);
}

/// Return the largest step from one sample to the next in `frames` frames, after a sample `before`.
static float largest_step(float before, uint32_t frames)
{
    float most = 0.0f;
    for (uint32_t i = 0; i < frames; i++) {
        most = fmaxf(most, fabsf(out[2 * i] - before));
        before = out[2 * i];
    }
    return most;
}

static void what_begins_inside_fades_in(void **state)
{
    (void)state;
    bksi_track track = {0};
    bksi_track_begin(&track, &flat, 100, 1.0f, 0.0f);
    mix(&track, 2000);
    assert_true(largest_step(0.0f, 2000) < 1.1f / (float)BKSI_FADE_FRAMES);
    assert_true(out[2 * (BKSI_FADE_FRAMES + 1)] == 1.0f);
}

static void what_leaves_fades_out_and_is_free(void **state)
{
    (void)state;
    bksi_track track = {0};
    bksi_track_begin(&track, &flat, 0, 1.0f, 0.0f);
    mix(&track, 10);
    bksi_track_leave(&track);
    mix(&track, 2000);
    assert_true(largest_step(1.0f, 2000) < 1.1f / (float)BKSI_FADE_FRAMES);
    assert_true(out[2 * (BKSI_FADE_FRAMES + 1)] == 0.0f);
    assert_null(track.sound);
}

static void a_voice_that_has_ended_keeps_its_track(void **state)
{
    (void)state;
    bksi_track track = {0};
    bksi_track_begin(&track, &counted, 0, 1.0f, 0.0f);
    mix(&track, 500);
    assert_non_null(track.sound);
    assert_int_equal(track.cursor, 500);
    mix(&track, 10);
    assert_true(out[0] == 0.0f);
}

static void a_voice_that_has_ended_frees_its_track_when_it_leaves(void **state)
{
    (void)state;
    bksi_track track = {0};
    bksi_track_begin(&track, &counted, 0, 1.0f, 0.0f);
    mix(&track, 500);
    bksi_track_leave(&track);
    mix(&track, 1);
    assert_null(track.sound);
}

static void loudness_changes_in_small_steps(void **state)
{
    (void)state;
    bksi_track track = {0};
    bksi_track_begin(&track, &flat, 0, 1.0f, 0.0f);
    mix(&track, 10);
    bksi_track_loudness(&track, 0.25f, 0.0f);
    mix(&track, 2000);
    assert_true(largest_step(1.0f, 2000) < 1.1f / (float)BKSI_FADE_FRAMES);
    assert_true(out[2 * 1999] == 0.25f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_is_heard_from_its_first_frame_with_full_loudness),
        cmocka_unit_test(pan_takes_from_the_other_side),
        cmocka_unit_test(a_loop_goes_on_at_its_beginning_whatever_the_size_of_a_mix),
        cmocka_unit_test(what_begins_inside_fades_in),
        cmocka_unit_test(what_leaves_fades_out_and_is_free),
        cmocka_unit_test(a_voice_that_has_ended_keeps_its_track),
        cmocka_unit_test(a_voice_that_has_ended_frees_its_track_when_it_leaves),
        cmocka_unit_test(loudness_changes_in_small_steps),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
