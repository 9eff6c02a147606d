// SPDX-License-Identifier: MIT

// Gamepads that SDL makes up, plugged in and out in the middle of a match.

#define _GNU_SOURCE

#include "screen/window/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/match.h"
#include "screen/window/controls.h"

#ifdef BKS_HAVE_SDL2

#include <SDL.h>

enum { SEATS = 2, FIELDS = 3, FULL = 100 };

// ---- a game whose state is what was done ----

typedef struct hands {
    int32_t x[SEATS];
    int32_t fires[SEATS];
} hands;

static const bks_field fields[FIELDS] = {
    {.name = "x", .bits = 8, .is_signed = true, .kind = BKS_FIELD_STICK_X, .limit = FULL},
    {.name = "y", .bits = 8, .is_signed = true, .kind = BKS_FIELD_STICK_Y, .limit = FULL},
    {.name = "fire", .bits = 1},
};
static const bks_control mapped[FIELDS] = {BKS_CONTROL_LEFT_X, BKS_CONTROL_LEFT_Y,
                                           BKS_CONTROL_SOUTH};

static void init(void *state, const bks_start *start)
{
    (void)start;
    *(hands *)state = (hands){0};
}

static void step(void *state, const bks_step *now)
{
    hands *h = state;
    for (uint32_t i = 0; i < SEATS; i++) {
        h->x[i] = now->inputs[FIELDS * i];
        h->fires[i] = now->inputs[FIELDS * i + 2];
    }
}

static const bks_game game = {.name = "hands",
                              .tick_rate_hz = 60,
                              .players_max = SEATS,
                              .fields = fields,
                              .field_count = FIELDS,
                              .state_bytes = sizeof(hands),
                              .init = init,
                              .step = step};
static const bks_plugin plugin = {.game = &game, .controls = mapped};

// ---- a match of two at this machine ----

static window *shown;
static bks_match *match;

static int open_match(void **state)
{
    (void)state;
    (void)setenv("SDL_VIDEODRIVER", "dummy", 1);
    (void)SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1");
    bks_match_config config = bks_match_config_default();
    config.game = &game;
    config.players = SEATS;
    config.local_players = SEATS;
    config.record = false;
    config.tick_per_update = true;
    config.tuning.delay_ticks = 0;
    shown = window_can_open() ? window_open("test", 320, 200, false, NULL) : NULL;
    bks_error error = {0};
    if (bks_match_open(&config, &match, &error) != BKS_OK) {
        print_error("%s\n", error.text);
    }
    return shown != NULL && match != NULL ? 0 : -1;
}

static int close_match(void **state)
{
    (void)state;
    bks_match_close(match);
    match = NULL;
    window_close(shown);
    (void)unsetenv("SDL_VIDEODRIVER");
    return 0;
}

// Some ticks of it, as the loop of `bks play` has them.
static const hands *play(window_wishes *wishes)
{
    *wishes = (window_wishes){0};
    for (int tick = 0; tick < 3; tick++) {
        const window_wishes now = window_poll(shown);
        wishes->pads += now.pads;
        for (uint32_t i = 0; i < now.pad_pressed.count; i++) {
            keys_add(&wishes->pad_pressed, now.pad_pressed.codes[i]);
        }
        for (uint32_t seat = 0; seat < SEATS; seat++) {
            float controls[WINDOW_CONTROLS];
            int32_t values[FIELDS];
            window_controls(shown, seat, SEATS, controls);
            controls_to_input(&plugin, controls, values);
            assert_int_equal(bks_match_input(match, seat, values), BKS_OK);
        }
        assert_int_equal(bks_match_update(match), BKS_OK);
    }
    return bks_match_state(match);
}

// ---- a gamepad ----

static int plug(void)
{
    const int index = SDL_JoystickAttachVirtual(
        SDL_JOYSTICK_TYPE_GAMECONTROLLER, SDL_CONTROLLER_AXIS_MAX, SDL_CONTROLLER_BUTTON_MAX, 0);
    assert_in_range(index, 0, 15);
    return index;
}

// The newest has the greatest number, the player's own is looked up by it.
static SDL_Joystick *newest(void)
{
    SDL_JoystickID most = -1;
    for (int i = 0; i < SDL_NumJoysticks(); i++) {
        const SDL_JoystickID id = SDL_JoystickGetDeviceInstanceID(i);
        most = id > most ? id : most;
    }
    SDL_Joystick *stick = SDL_JoystickFromInstanceID(most);
    assert_non_null(stick);
    return stick;
}

static void unplug(SDL_JoystickID id)
{
    for (int i = 0; i < SDL_NumJoysticks(); i++) {
        if (SDL_JoystickGetDeviceInstanceID(i) == id) {
            assert_int_equal(SDL_JoystickDetachVirtual(i), 0);
            return;
        }
    }
    fail();
}

static void push(SDL_Joystick *stick, int16_t x, bool fires)
{
    assert_int_equal(SDL_JoystickSetVirtualAxis(stick, SDL_CONTROLLER_AXIS_LEFTX, x), 0);
    assert_int_equal(SDL_JoystickSetVirtualButton(stick, SDL_CONTROLLER_BUTTON_A, fires), 0);
}

static void expect(const hands *h, int32_t first_x, int32_t second_x)
{
    assert_int_equal(h->x[0], first_x);
    assert_int_equal(h->x[1], second_x);
}

static void one_that_is_plugged_in_plays_at_once(void **state)
{
    (void)state;
    window_wishes wishes;
    expect(play(&wishes), 0, 0);
    assert_int_equal(window_seat_of(shown, 1, SEATS).hand, KEY_HAND_SECOND);
    plug();
    (void)play(&wishes);
    assert_int_equal(wishes.pads, 1);
    assert_int_equal(window_seat_of(shown, 0, SEATS).hand, KEY_HAND_ALONE);
    assert_true(window_seat_of(shown, 1, SEATS).has_pad);
    push(newest(), 32767, true);
    const hands *h = play(&wishes);
    expect(h, 0, FULL);
    assert_int_equal(h->fires[1], 1);
    push(newest(), -32768, false);
    h = play(&wishes);
    expect(h, 0, -FULL);
    assert_int_equal(h->fires[1], 0);
}

static void one_that_is_pulled_out_lets_go_and_its_player_has_the_keyboard(void **state)
{
    (void)state;
    window_wishes wishes;
    plug();
    (void)play(&wishes);
    SDL_Joystick *stick = newest();
    push(stick, 32767, true);
    expect(play(&wishes), 0, FULL);
    unplug(SDL_JoystickInstanceID(stick));
    const hands *h = play(&wishes);
    assert_int_equal(wishes.pads, -1);
    expect(h, 0, 0);
    assert_int_equal(h->fires[1], 0);
    assert_int_equal(window_seat_of(shown, 1, SEATS).hand, KEY_HAND_SECOND);
    plug();
    (void)play(&wishes);
    push(newest(), 32767, false);
    expect(play(&wishes), 0, FULL);
}

static void the_other_players_stay_where_they_are(void **state)
{
    (void)state;
    window_wishes wishes;
    plug();
    (void)play(&wishes);
    SDL_Joystick *second = newest();
    plug();
    (void)play(&wishes);
    SDL_Joystick *first = newest();
    push(second, 32767, false);
    push(first, -32768, false);
    expect(play(&wishes), -FULL, FULL);
    unplug(SDL_JoystickInstanceID(first));
    expect(play(&wishes), 0, FULL);
    plug();
    (void)play(&wishes);
    push(newest(), 32767, false);
    expect(play(&wishes), FULL, FULL);
}

static void its_buttons_work_a_menu(void **state)
{
    (void)state;
    window_wishes wishes;
    plug();
    (void)play(&wishes);
    SDL_Joystick *stick = newest();
    static const struct {
        int button;
        uint8_t key;
    } buttons[] = {{SDL_CONTROLLER_BUTTON_DPAD_DOWN, KEY_DOWN},
                   {SDL_CONTROLLER_BUTTON_A, KEY_ENTER},
                   {SDL_CONTROLLER_BUTTON_B, KEY_ESCAPE}};
    for (size_t i = 0; i < sizeof(buttons) / sizeof(buttons[0]); i++) {
        assert_int_equal(SDL_JoystickSetVirtualButton(stick, buttons[i].button, 1), 0);
        (void)play(&wishes);
        assert_int_equal(wishes.pad_pressed.count, 1);
        assert_int_equal(wishes.pad_pressed.codes[0], buttons[i].key);
        assert_int_equal(SDL_JoystickSetVirtualButton(stick, buttons[i].button, 0), 0);
        (void)play(&wishes);
        assert_int_equal(wishes.pad_pressed.count, 0);
    }
}

#define IN_A_MATCH(test) cmocka_unit_test_setup_teardown(test, open_match, close_match)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_MATCH(one_that_is_plugged_in_plays_at_once),
        IN_A_MATCH(one_that_is_pulled_out_lets_go_and_its_player_has_the_keyboard),
        IN_A_MATCH(the_other_players_stay_where_they_are),
        IN_A_MATCH(its_buttons_work_a_menu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void without_a_window_no_one_has_a_gamepad(void **state)
{
    (void)state;
    assert_false(window_seat_of(NULL, 0, 1).has_pad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_a_window_no_one_has_a_gamepad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
