// SPDX-License-Identifier: MIT

// The window, on SDL's drivers that need no display.

#define _GNU_SOURCE

#include "screen/window/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef BKS_HAVE_SDL2

#include <SDL.h>

static window *shown;

static int open_window(void **state)
{
    (void)state;
    (void)setenv("SDL_VIDEODRIVER", "dummy", 1);
    shown = window_can_open() ? window_open("test", 320, 200, false, NULL) : NULL;
    return shown != NULL ? 0 : -1;
}

static int close_window(void **state)
{
    (void)state;
    window_close(shown);
    (void)unsetenv("SDL_VIDEODRIVER");
    return 0;
}

static void its_canvas_has_its_size_and_takes_every_shape(void **state)
{
    (void)state;
    const float points[] = {10, 10, 60, 20, 30, 70};
    for (int frame = 0; frame < 3; frame++) {
        const bks_canvas canvas = window_canvas(shown);
        assert_true(canvas.width == 320.0F && canvas.height == 200.0F && !canvas.is_coarse);
        canvas.clear(canvas.context, 0x202020FF);
        canvas.rectangle(canvas.context, 5, 5, 50, 50, 0xFF0000FF);
        canvas.polygon(canvas.context, points, 3, 0x00FF0080);
        canvas.line(canvas.context, 0, 0, 320, 200, 0.5F, 0xFFFFFFFF);
        canvas.circle(canvas.context, 160, 100, 40, 0x0000FFFF);
        canvas.text(canvas.context, 10, 150, 24, 0xFFFFFFFF, "text");
        assert_true(canvas.text_width(canvas.context, 24, "text") > 30.0F);
        window_present(shown);
    }
}

static void press(SDL_Keycode key)
{
    SDL_Event event = {.type = SDL_KEYDOWN};
    event.key.keysym.sym = key;
    assert_int_equal(SDL_PushEvent(&event), 1);
}

static void keys_and_the_close_button_are_wishes(void **state)
{
    (void)state;
    window_wishes wishes = window_poll(shown);
    assert_false(wishes.quit);
    assert_int_equal(wishes.overlay, 0);
    press(SDLK_F1);
    wishes = window_poll(shown);
    assert_int_equal(wishes.overlay, 1);
    assert_false(wishes.quit);
    press(SDLK_ESCAPE);
    assert_true(window_poll(shown).quit);
    SDL_Event event = {.type = SDL_QUIT};
    assert_int_equal(SDL_PushEvent(&event), 1);
    assert_true(window_poll(shown).quit);
    assert_false(window_poll(shown).quit);
}

static void other_keys_are_reported_in_their_order(void **state)
{
    (void)state;
    press(SDLK_LEFT);
    press(SDLK_PERIOD);
    press(SDLK_HOME);
    press(SDLK_LSHIFT); // nothing by itself
    press(SDLK_t);
    press(SDLK_F2);
    press(SDLK_F4);
    press(SDLK_KP_PLUS);
    press(SDLK_KP_MINUS);
    const window_wishes wishes = window_poll(shown);
    static const uint8_t codes[] = {KEY_LEFT, '.', KEY_HOME, 't', KEY_F2, KEY_F4, '+', '-'};
    assert_int_equal(wishes.pressed.count, sizeof(codes));
    assert_memory_equal(wishes.pressed.codes, codes, sizeof(codes));
    assert_false(wishes.quit);
    assert_false(wishes.is_held);
    assert_int_equal(window_poll(shown).pressed.count, 0);
}

static void f11_fills_the_screen_and_brings_the_window_back(void **state)
{
    (void)state;
    assert_false(window_is_full_screen(shown));
    press(SDLK_F11);
    (void)window_poll(shown);
    assert_true(window_is_full_screen(shown));
    press(SDLK_F11);
    (void)window_poll(shown);
    assert_false(window_is_full_screen(shown));
}

static void a_key_is_reported_by_its_place_too(void **state)
{
    (void)state;
    SDL_Event event = {.type = SDL_KEYDOWN};
    event.key.keysym.sym = SDLK_LSHIFT;
    event.key.keysym.scancode = SDL_SCANCODE_LSHIFT;
    assert_int_equal(SDL_PushEvent(&event), 1);
    const key_place place = window_poll(shown).place;
    assert_string_equal(key_place_name(place), "Left Shift");
    assert_string_equal(window_key_label(shown, place), "Left Shift");
    assert_string_equal(window_key_label(shown, 0), "none");
    assert_int_equal(window_poll(shown).place, 0);
}

static void a_text_comes_back_from_the_clipboard(void **state)
{
    (void)state;
    char text[16];
    if (window_copy(shown, "bks://a")) {
        window_paste(shown, text, sizeof(text));
        assert_string_equal(text, "bks://a");
        window_paste(shown, text, 7); // chat text may follow an invitation
        assert_string_equal(text, "bks://");
    }
}

// Without a window manager no other event says that the clipboard is to be looked at.
static void the_keys_that_paste_make_the_clipboard_be_read(void **state)
{
    (void)state;
    static const struct {
        SDL_Keycode key;
        Uint16 with;
        bool is_paste;
    } keys[] = {{SDLK_v, KMOD_NONE, false},
                {SDLK_v, KMOD_RCTRL, true},
                {SDLK_INSERT, KMOD_NONE, false},
                {SDLK_INSERT, KMOD_LSHIFT, true}};
    (void)window_poll(shown);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        SDL_Event event = {.type = SDL_KEYDOWN};
        event.key.keysym.sym = keys[i].key;
        event.key.keysym.mod = keys[i].with;
        assert_int_equal(SDL_PushEvent(&event), 1);
        assert_int_equal(window_poll(shown).is_active, keys[i].is_paste);
    }
}

static void expect_aim(uint32_t seat, uint32_t seats, float right, float down)
{
    float values[WINDOW_CONTROLS];
    window_controls(shown, seat, seats, values);
    assert_true(values[BKS_CONTROL_RIGHT_X] == right);
    assert_true(values[BKS_CONTROL_RIGHT_Y] == down);
}

static void the_mouse_aims_where_a_game_can_be_aimed_in(void **state)
{
    (void)state;
    (void)window_poll(shown);
    SDL_Event event = {.type = SDL_MOUSEMOTION};
    event.motion.x = 320;
    event.motion.y = 100;
    assert_int_equal(SDL_PushEvent(&event), 1);
    (void)window_poll(shown);
    expect_aim(0, 1, 0.0F, 0.0F); // not this one
    window_set_aim(shown, true);
    expect_aim(0, 1, 1.0F, 0.0F);
    expect_aim(0, 2, 1.0F, 0.0F);
    expect_aim(1, 2, 0.0F, 0.0F);
    event = (SDL_Event){.type = SDL_WINDOWEVENT};
    event.window.event = SDL_WINDOWEVENT_LEAVE;
    assert_int_equal(SDL_PushEvent(&event), 1);
    (void)window_poll(shown);
    expect_aim(0, 1, 0.0F, 0.0F);
}

static void a_click_counts_though_it_ended_before_it_was_asked_for(void **state)
{
    (void)state;
    (void)window_poll(shown);
    SDL_Event event = {.type = SDL_MOUSEBUTTONDOWN};
    event.button.button = SDL_BUTTON_LEFT;
    event.button.x = 33;
    event.button.y = 44;
    assert_int_equal(SDL_PushEvent(&event), 1);
    event.type = SDL_MOUSEBUTTONUP;
    assert_int_equal(SDL_PushEvent(&event), 1);
    window_wishes wishes = window_poll(shown);
    assert_true(wishes.is_held);
    assert_int_equal((int)wishes.mouse_x, 33);
    assert_int_equal((int)wishes.mouse_y, 44);
    wishes = window_poll(shown);
    assert_false(wishes.is_held);
}

static void untouched_controls_are_zero(void **state)
{
    (void)state;
    float values[WINDOW_CONTROLS];
    for (uint32_t seat = 0; seat < 4; seat++) {
        memset(values, 0xFF, sizeof(values));
        window_controls(shown, seat, 4, values);
        for (int i = 0; i < WINDOW_CONTROLS; i++) {
            assert_true(values[i] == 0.0F);
        }
    }
}

static void without_a_display_no_window_can_be_opened(void **state)
{
    (void)state;
    (void)unsetenv("DISPLAY");
    (void)unsetenv("WAYLAND_DISPLAY");
    (void)unsetenv("SDL_VIDEODRIVER");
    assert_false(window_can_open());
    (void)setenv("DISPLAY", ":4711", 1);
    assert_false(window_can_open());
    (void)unsetenv("DISPLAY");
}

#define IN_A_WINDOW(test) cmocka_unit_test_setup_teardown(test, open_window, close_window)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_WINDOW(its_canvas_has_its_size_and_takes_every_shape),
        IN_A_WINDOW(keys_and_the_close_button_are_wishes),
        IN_A_WINDOW(other_keys_are_reported_in_their_order),
        IN_A_WINDOW(f11_fills_the_screen_and_brings_the_window_back),
        IN_A_WINDOW(a_key_is_reported_by_its_place_too),
        IN_A_WINDOW(a_text_comes_back_from_the_clipboard),
        IN_A_WINDOW(the_keys_that_paste_make_the_clipboard_be_read),
        IN_A_WINDOW(the_mouse_aims_where_a_game_can_be_aimed_in),
        IN_A_WINDOW(a_click_counts_though_it_ended_before_it_was_asked_for),
        IN_A_WINDOW(untouched_controls_are_zero),
        cmocka_unit_test(without_a_display_no_window_can_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void no_window_can_be_opened(void **state)
{
    (void)state;
    assert_false(window_can_open());
    assert_null(window_open("test", 320, 200, false, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_window_can_be_opened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
