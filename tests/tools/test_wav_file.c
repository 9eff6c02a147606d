// SPDX-License-Identifier: MIT

// The bytes of a sound file: which side is which, and what a sample becomes.

#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "sound/sound_file.h"

enum { FRAMES = 3000 }; // more than one piece of the writing

static uint8_t bytes[WAV_HEAD_BYTES + 4 * FRAMES + 1];

static int32_t sample_at(uint32_t frame, uint32_t side)
{
    const uint8_t *at = bytes + WAV_HEAD_BYTES + 4 * frame + 2 * side;
    return (int16_t)(uint16_t)(at[0] | at[1] << 8);
}

static void read_back(const char *path, size_t expected)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof(bytes), file), expected);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(path), 0);
}

static void left_comes_first_and_samples_are_the_nearest(void **state)
{
    (void)state;
    char path[] = "/tmp/bks-wav-XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0 && close(made) == 0);
    wav_file *file = wav_file_open(path);
    assert_non_null(file);
    static float samples[2 * FRAMES];
    samples[0] = 0.5f;
    samples[1] = -0.25f;
    samples[2] = 1.0f;
    samples[3] = -1.0f;
    samples[2 * FRAMES - 2] = 0.25f;
    wav_file_write(file, samples, FRAMES);
    assert_true(wav_file_close(file));
    read_back(path, WAV_HEAD_BYTES + 4 * FRAMES);
    assert_int_equal(sample_at(0, 0), 16384);
    assert_int_equal(sample_at(0, 1), -8192);
    assert_int_equal(sample_at(1, 0), 32767);
    assert_int_equal(sample_at(1, 1), -32767);
    assert_int_equal(sample_at(2, 0), 0);
    assert_int_equal(sample_at(FRAMES - 1, 0), 8192);
    assert_int_equal(sample_at(FRAMES - 1, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_comes_first_and_samples_are_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
