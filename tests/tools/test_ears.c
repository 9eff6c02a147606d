// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/stop.h"
#include "base/tool.h"
#include "duel/duel.h"
#include "duel/duel_sounds.h"
#include "sound/ears.h"
#include "sound/game_sound.h"
#include "sound/sound_file.h"

#ifdef BKS_HAVE_SDL2
#include "backstitch/sdl2.h"
#endif

static const bks_plugin plugin = {.abi = BKS_PLUGIN_ABI,
                                  .game = &duel_game,
                                  .sound_frames = duel_sound_frames,
                                  .sound_count = DUEL_SOUNDS,
                                  .make_sound = duel_sound_make};

static void no_ears_are_open_without_a_window_or_a_file(void **state)
{
    (void)state;
    const ears_config config = {.plugin = &plugin, .tick_rate_hz = 60};
    ears *e = NULL;
    assert_int_equal(ears_open(&config, &e), TOOL_OK);
    assert_null(e);
    assert_int_equal(ears_cues_per_tick(e), 0);
    ears_hush(e);
    ears_show(e, NULL, 0, false);
    assert_null(ears_key(e, 'm'));
    assert_int_equal(ears_close(e), TOOL_OK);
}

static void a_game_without_sounds_is_silent_in_a_window(void **state)
{
    (void)state;
    const bks_plugin silent = {.abi = BKS_PLUGIN_ABI, .game = &duel_game};
    const ears_config config = {.plugin = &silent, .tick_rate_hz = 60, .has_card = true};
    ears *e = NULL;
    assert_int_equal(ears_open(&config, &e), TOOL_OK);
    assert_null(e);
}

/// What opening the ears of a plug-in writes to stderr.
static void expect_complaint(const bks_plugin *of, const char *expected)
{
    FILE *caught = tmpfile();
    assert_non_null(caught);
    const int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && dup2(fileno(caught), STDERR_FILENO) >= 0);
    game_sound *sound = game_sound_open(of, 60);
    (void)fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0);
    assert_non_null(sound);
    game_sound_close(sound);
    char text[512] = {0};
    rewind(caught);
    assert_true(fread(text, 1, sizeof(text) - 1, caught) < sizeof(text) - 1);
    (void)fclose(caught);
    if (expected == NULL) {
        assert_string_equal(text, "");
    } else if (strstr(text, expected) == NULL) {
        fail_msg("'%s' must be in '%s'", expected, text);
    }
}

static void a_plug_in_whose_cues_are_not_heard_says_so(void **state)
{
    (void)state;
    bks_game nameless = duel_game;
    bks_plugin other = plugin;
    other.hear = duel_hear;
    expect_complaint(&other, NULL);
    nameless.cue_count = 0;
    other.game = &nameless;
    expect_complaint(&other, "no cue is heard: bks_plugin.hear is set and bks_game.cue_count is 0");
    expect_complaint(&plugin, "nothing is heard: bks_plugin.sound_count is 13, expected "
                              "bks_plugin.hear or voices");
}

// All of them take long to make.
static const bks_plugin one_sound = {.abi = BKS_PLUGIN_ABI,
                                     .game = &duel_game,
                                     .sound_frames = duel_sound_frames,
                                     .sound_count = 1,
                                     .make_sound = duel_sound_make};

// ---- a file ----

static void write_until(const char *path, const bks_tick *ticks, uint32_t count, int expected)
{
    sound_file *file = NULL;
    assert_int_equal(sound_file_open(&one_sound, 60, BKS_TICK_NONE, path, &file), TOOL_OK);
    for (uint32_t i = 0; i < count; i++) {
        sound_file_advance(file, NULL, ticks[i]); // the plug-in has no voices
    }
    assert_int_equal(sound_file_close(file), expected);
}

static void expect_ticks(const bks_tick *ticks, uint32_t count, int64_t expected)
{
    char path[] = "/tmp/bks-ears-XXXXXX";
    struct stat is;
    const int made = mkstemp(path);
    assert_true(made >= 0 && close(made) == 0);
    write_until(path, ticks, count, TOOL_OK);
    assert_int_equal(stat(path, &is), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(is.st_size, 44 + expected * 800 * 4);
}

static void a_file_begins_with_the_first_tick_that_is_stepped(void **state)
{
    (void)state;
    // Limit the size of files, because a sound file that never ends would fill the disk.
    struct rlimit kept;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
    const struct rlimit few = {.rlim_cur = 1 << 22, .rlim_max = kept.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    expect_ticks((const bks_tick[]){0, 0, 1, 3}, 4, 3);
    expect_ticks((const bks_tick[]){31, 32}, 2, 2);
    expect_ticks((const bks_tick[]){10, 0, 1, 2}, 4, 3);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &kept), 0);
}

static void what_cannot_be_written_is_not_mixed_either(void **state)
{
    (void)state;
    write_until("/dev/full", (const bks_tick[]){1, INT32_MAX}, 2, TOOL_DAMAGED);
}

static void a_far_jump_can_be_stopped(void **state)
{
    (void)state;
    stop_catch();
    assert_int_equal(raise(SIGTERM), 0);
    assert_true(stop_is_wanted());
    expect_ticks((const bks_tick[]){1, INT32_MAX}, 2, 2);
}

#ifdef BKS_HAVE_SDL2

static void sound_begins_as_loud_as_the_settings_say(void **state)
{
    (void)state;
    (void)setenv("SDL_AUDIODRIVER", "dummy", 1);
    int32_t volume = 7;
    const ears_config config = {
        .plugin = &plugin, .tick_rate_hz = 60, .has_card = true, .volume = &volume};
    ears *e = NULL;
    assert_int_equal(ears_open(&config, &e), TOOL_OK);
    assert_non_null(e);
    assert_string_equal(ears_key(e, '-'), "sound at 60 %");
    assert_int_equal(volume, 6);
    assert_string_equal(ears_key(e, 'm'), "sound off, M turns it on");
    assert_int_equal(volume, 6); // to be kept
    assert_string_equal(ears_key(e, '+'), "sound at 70 %");
    assert_int_equal(ears_close(e), TOOL_OK);
}

static void keys_mute_and_change_the_loudness(void **state)
{
    (void)state;
    assert_int_equal(setenv("SDL_AUDIODRIVER", "dummy", 1), 0);
    const ears_config config = {.plugin = &plugin, .tick_rate_hz = 60, .has_card = true};
    ears *e = NULL;
    assert_int_equal(ears_open(&config, &e), TOOL_OK);
    assert_non_null(e);
    assert_string_equal(ears_key(e, '-'), "sound at 90 %");
    assert_string_equal(ears_key(e, '+'), "sound at 100 %");
    assert_string_equal(ears_key(e, '='), "sound at 100 %");
    assert_string_equal(ears_key(e, 'm'), "sound off, M turns it on");
    assert_string_equal(ears_key(e, 'm'), "sound at 100 %");
    assert_string_equal(ears_key(e, 'm'), "sound off, M turns it on");
    assert_string_equal(ears_key(e, '-'), "sound at 90 %"); // a new loudness is to be heard
    for (uint32_t i = 0; i < 12; i++) {
        (void)ears_key(e, '-');
    }
    assert_string_equal(ears_key(e, '-'), "sound at 0 %");
    assert_null(ears_key(e, 'x'));
    assert_int_equal(ears_close(e), TOOL_OK);
    (void)unsetenv("SDL_AUDIODRIVER");
}

// ---- what a card gets ----

static const uint32_t flat_frames = 4800;

static void make_flat(uint32_t sound, float *samples)
{
    (void)sound;
    for (uint32_t i = 0; i < flat_frames; i++) {
        samples[i] = 0.5f;
    }
}

static void flat_voice(const void *state, bks_voice *out)
{
    (void)state;
    *out = (bks_voice){.volume = BKS_VOICE_FULL, .is_on = 1, .is_loop = 1};
}

static const bks_plugin flat = {.abi = BKS_PLUGIN_ABI,
                                .game = &duel_game,
                                .sound_frames = &flat_frames,
                                .sound_count = 1,
                                .make_sound = make_flat,
                                .voices = flat_voice,
                                .voice_count = 1};

static int64_t count_frames(const char *path)
{
    struct stat is;
    assert_int_equal(stat(path, &is), 0);
    return is.st_size / (int64_t)(2 * sizeof(float));
}

/// The newest sample, once a tenth of a second more was played.
static float heard_next(const char *path)
{
    const int64_t wanted = count_frames(path) + 4800;
    for (uint32_t i = 0; i < 2000 && count_frames(path) < wanted; i++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    const int64_t there = count_frames(path);
    assert_true(there >= wanted);
    float frame[2] = {-1.0f, -1.0f};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)((there - 1) * (int64_t)sizeof(frame)), SEEK_SET), 0);
    assert_int_equal(fread(frame, sizeof(float), 2, file), 2);
    (void)fclose(file);
    return frame[0];
}

static void assert_heard(const char *path, float expected)
{
    const float heard = heard_next(path);
    if (!(heard > expected - 1e-4f && heard < expected + 1e-4f)) {
        fail_msg("%g is heard, must be %g", (double)heard, (double)expected);
    }
}

static void what_keys_say_is_what_the_card_gets(void **state)
{
    (void)state;
    char path[] = "/tmp/bks-card-XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0 && close(made) == 0);
    assert_int_equal(setenv("SDL_AUDIODRIVER", "disk", 1), 0);
    assert_int_equal(setenv("SDL_DISKAUDIOFILE", path, 1), 0);
    int32_t volume = 3;
    const ears_config config = {
        .plugin = &flat, .tick_rate_hz = 60, .has_card = true, .volume = &volume};
    ears *e = NULL;
    assert_int_equal(ears_open(&config, &e), TOOL_OK);
    assert_non_null(e);
    ears_show(e, NULL, 0, true);
    assert_heard(path, 0.15f);
    assert_string_equal(ears_key(e, '+'), "sound at 40 %");
    assert_heard(path, 0.2f);
    assert_string_equal(ears_key(e, 'm'), "sound off, M turns it on");
    assert_heard(path, 0.0f);
    assert_string_equal(ears_key(e, '-'), "sound at 30 %");
    assert_heard(path, 0.15f);
    ears_hush(e);
    assert_heard(path, 0.0f);
    assert_int_equal(ears_close(e), TOOL_OK);
    assert_int_equal(unlink(path), 0);
    (void)unsetenv("SDL_DISKAUDIOFILE");
    (void)unsetenv("SDL_AUDIODRIVER");
}

static void a_card_that_does_not_open_leaves_the_reason(void **state)
{
    (void)state;
    assert_int_equal(setenv("SDL_AUDIODRIVER", "disk", 1), 0);
    assert_int_equal(setenv("SDL_DISKAUDIOFILE", "/nowhere/card.raw", 1), 0);
    game_sound *sound = game_sound_open(&one_sound, 60);
    assert_non_null(sound);
    SDL_ClearError();
    assert_int_equal(bks_sdl2_sound(game_sound_mixer(sound)), 0);
    if (strstr(SDL_GetError(), "/nowhere/card.raw") == NULL) {
        fail_msg("'%s' must name what could not be opened", SDL_GetError());
    }
    SDL_Quit();
    game_sound_close(sound);
    (void)unsetenv("SDL_DISKAUDIOFILE");
    (void)unsetenv("SDL_AUDIODRIVER");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plug_in_whose_cues_are_not_heard_says_so),
        cmocka_unit_test(no_ears_are_open_without_a_window_or_a_file),
        cmocka_unit_test(a_game_without_sounds_is_silent_in_a_window),
        cmocka_unit_test(a_file_begins_with_the_first_tick_that_is_stepped),
        cmocka_unit_test(what_cannot_be_written_is_not_mixed_either),
#ifdef BKS_HAVE_SDL2
        cmocka_unit_test(keys_mute_and_change_the_loudness),
        cmocka_unit_test(sound_begins_as_loud_as_the_settings_say),
        cmocka_unit_test(what_keys_say_is_what_the_card_gets),
        cmocka_unit_test(a_card_that_does_not_open_leaves_the_reason),
#endif
        cmocka_unit_test(a_far_jump_can_be_stopped), // the last: a stop stays wanted
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
