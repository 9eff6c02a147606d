// SPDX-License-Identifier: MIT

#include "screen/window/key_hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { PLACE_W = 26, PLACE_F1 = 58, PLACE_F12 = 69 };

static const uint64_t NOW = UINT64_C(1000000000);
static const awake_signs MOUSE = {.mouse = true};

static void it_lasts_some_seconds(void **state)
{
    (void)state;
    awake a = {0};
    assert_false(awake_is(&a, NOW));
    awake_rouse(&a, NOW);
    assert_true(awake_is(&a, NOW + AWAKE_NS - 1));
    assert_false(awake_is(&a, NOW + AWAKE_NS));
}

static void the_mouse_rouses_once_it_moves(void **state)
{
    (void)state;
    awake a = {0};
    const window_wishes there = {.mouse_x = 40.0F, .mouse_y = 30.0F};
    const window_wishes moved = {.mouse_x = 41.0F, .mouse_y = 30.0F};
    awake_look(&a, &there, MOUSE, NOW); // where it was before
    awake_look(&a, &there, MOUSE, NOW);
    assert_false(awake_is(&a, NOW));
    awake_look(&a, &moved, (awake_signs){0}, NOW);
    assert_false(awake_is(&a, NOW)); // it aims
    awake_look(&a, &there, MOUSE, NOW);
    assert_true(awake_is(&a, NOW));
}

static void keys_of_the_game_rouse_no_player(void **state)
{
    (void)state;
    awake a = {0};
    window_wishes wishes = {.place = PLACE_W};
    awake_look(&a, &wishes, MOUSE, NOW);
    assert_false(awake_is(&a, NOW));
    awake_look(&a, &wishes, (awake_signs){.keys = true}, NOW);
    assert_true(awake_is(&a, NOW));
    for (key_place key = PLACE_F1; key <= PLACE_F12; key++) {
        awake other = {0};
        wishes.place = key;
        awake_look(&other, &wishes, MOUSE, NOW);
        assert_true(awake_is(&other, NOW));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_lasts_some_seconds),
        cmocka_unit_test(the_mouse_rouses_once_it_moves),
        cmocka_unit_test(keys_of_the_game_rouse_no_player),
    };
    return cmocka_run_group_tests_name("awake", tests, NULL, NULL);
}
