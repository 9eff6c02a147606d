// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/tool.h"
#include "duel/duel.h"
#include "duel/duel_sounds.h"
#include "sound/ears.h"

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

#ifdef BKS_HAVE_SDL2

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

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_ears_are_open_without_a_window_or_a_file),
        cmocka_unit_test(a_game_without_sounds_is_silent_in_a_window),
#ifdef BKS_HAVE_SDL2
        cmocka_unit_test(keys_mute_and_change_the_loudness),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
