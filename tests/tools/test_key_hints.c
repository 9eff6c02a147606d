// SPDX-License-Identifier: MIT

// The keys as text, of a window on SDL's driver that needs no display.

#define _GNU_SOURCE

#include "screen/window/key_hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FIELDS = 4, TEXT_BYTES = 400 };

static const bks_field fields[FIELDS] = {
    {.name = "x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X, .limit = 50},
    {.name = "y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y, .limit = 50},
    {.name = "dash", .bits = 1},
    {.name = "fire", .bits = 3},
};
static const bks_game game = {.name = "game", .fields = fields, .field_count = FIELDS};
static const bks_control two_axes[FIELDS] = {BKS_CONTROL_LEFT_X, BKS_CONTROL_LEFT_Y,
                                             BKS_CONTROL_SOUTH};

static window *shown;

static const char *line_of(const bks_plugin *plugin, uint32_t seats)
{
    static char text[TEXT_BYTES];
    key_map keys;
    key_map_usual(&keys);
    const key_hints line = {.plugin = plugin, .keys = &keys, .seats = seats, .window = shown};
    key_hints_write(&line, text, sizeof(text));
    return text;
}

static void before_seats_are_known_the_games_words_stand_alone(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = two_axes, .keys = "dash through stars"};
    assert_string_equal(line_of(&plugin, 0), "dash through stars");
}

#ifdef BKS_HAVE_SDL2

static const bks_control one_axis[FIELDS] = {BKS_CONTROL_LEFT_X};

static int open_window(void **state)
{
    (void)state;
    user_settings settings;
    settings_usual(&settings);
    (void)setenv("SDL_VIDEODRIVER", "dummy", 1);
    shown = window_open("keys", 640, 400, false, &settings);
    return shown != NULL ? 0 : -1;
}

static int close_window(void **state)
{
    (void)state;
    window_close(shown);
    (void)unsetenv("SDL_VIDEODRIVER");
    return 0;
}

static void one_player_sees_the_keys_and_the_games_words(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = two_axes, .keys = "dash through stars"};
    assert_string_equal(line_of(&plugin, 1), "move W A S D, dash K   dash through stars");
}

static void two_see_the_same_each_with_their_own_keys(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = two_axes, .keys = "dash through stars"};
    assert_string_equal(line_of(&plugin, 2),
                        "player 1: move W A S D, dash G   "
                        "player 2: move Up Left Down Right, dash K   dash through stars");
}

static void combine(const float *controls, float *raw)
{
    raw[3] = controls[BKS_CONTROL_WEST] + 2.0F * controls[BKS_CONTROL_EAST];
}

static void buttons_of_one_field_stand_together(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = two_axes, .device = combine};
    assert_string_equal(line_of(&plugin, 1), "move W A S D, fire J L, dash K");
}

static void an_axis_that_is_not_read_has_no_keys(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = one_axis};
    assert_string_equal(line_of(&plugin, 1), "move A D");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_seats_are_known_the_games_words_stand_alone),
        cmocka_unit_test(one_player_sees_the_keys_and_the_games_words),
        cmocka_unit_test(two_see_the_same_each_with_their_own_keys),
        cmocka_unit_test(buttons_of_one_field_stand_together),
        cmocka_unit_test(an_axis_that_is_not_read_has_no_keys),
    };
    return cmocka_run_group_tests_name("key_hints", tests, open_window, close_window);
}

#else

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_seats_are_known_the_games_words_stand_alone)};
    return cmocka_run_group_tests_name("key_hints", tests, NULL, NULL);
}

#endif
