// SPDX-License-Identifier: MIT

#include "screen/window/controls.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "screen/window/window.h"

enum { FIELDS = 4 };

static const bks_field fields[FIELDS] = {
    {.name = "x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X, .limit = 50},
    {.name = "y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y, .limit = 50},
    {.name = "jump", .bits = 1},
    {.name = "mode", .bits = 4, .neutral = 5},
};
static const bks_game game = {.name = "game", .fields = fields, .field_count = FIELDS};
static const bks_control mapped[FIELDS] = {BKS_CONTROL_LEFT_X, BKS_CONTROL_LEFT_Y,
                                           BKS_CONTROL_SOUTH, BKS_CONTROL_NONE};

static void each_control_fills_its_field(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = mapped};
    float controls[WINDOW_CONTROLS] = {0};
    int32_t values[FIELDS];
    controls_to_input(&plugin, controls, values);
    assert_int_equal(values[0], 0);
    assert_int_equal(values[3], 5); // nothing fills it: neutral
    controls[BKS_CONTROL_LEFT_X] = -1.0F;
    controls[BKS_CONTROL_SOUTH] = 1.0F;
    controls_to_input(&plugin, controls, values);
    assert_int_equal(values[0], -50);
    assert_int_equal(values[1], 0);
    assert_int_equal(values[2], 1);
}

static void a_diagonal_is_no_longer_than_a_stick(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = mapped};
    float controls[WINDOW_CONTROLS] = {0};
    int32_t values[FIELDS];
    controls[BKS_CONTROL_LEFT_X] = 1.0F;
    controls[BKS_CONTROL_LEFT_Y] = 1.0F;
    controls_to_input(&plugin, controls, values);
    assert_in_range(values[0], 34, 36);
    assert_in_range(values[1], 34, 36);
}

static void sum_up(const float *controls, float *raw)
{
    raw[3] = 2.0F * controls[BKS_CONTROL_NORTH] + controls[BKS_CONTROL_EAST];
}

static void a_game_may_make_one_field_of_several_controls(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = mapped, .device = sum_up};
    float controls[WINDOW_CONTROLS] = {0};
    int32_t values[FIELDS];
    controls[BKS_CONTROL_NORTH] = 1.0F;
    controls[BKS_CONTROL_EAST] = 1.0F;
    controls_to_input(&plugin, controls, values);
    assert_int_equal(values[3], 3);
}

static void a_game_without_controls_stays_neutral(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game};
    float controls[WINDOW_CONTROLS] = {0};
    controls[BKS_CONTROL_LEFT_X] = 1.0F;
    int32_t values[FIELDS] = {9, 9, 9, 9};
    controls_to_input(&plugin, controls, values);
    assert_int_equal(values[0], 0);
    assert_int_equal(values[3], 5);
}

static void what_a_game_reads_is_found_out(void **state)
{
    (void)state;
    const bks_plugin plugin = {.game = &game, .controls = mapped};
    assert_int_equal(controls_used(&plugin),
                     1U << BKS_CONTROL_LEFT_X | 1U << BKS_CONTROL_LEFT_Y | 1U << BKS_CONTROL_SOUTH);
    const bks_plugin by_device = {.game = &game, .controls = mapped, .device = sum_up};
    assert_true((controls_used(&by_device) & 1U << BKS_CONTROL_NORTH) != 0);
    const bks_plugin none = {.game = &game};
    assert_int_equal(controls_used(&none), 0);
}

static void a_mouse_aims_from_the_middle_of_the_picture(void **state)
{
    (void)state;
    static const struct {
        float x, y, right, down;
    } cases[] = {
        {400, 200, 0, 0},       {500, 200, 1, 0},       {450, 200, 0.5F, 0}, {800, 200, 1, 0},
        {400, 0, 0, -1},        {400, 400, 0, 1},       {0, 200, -1, 0},     {-900, 200, -1, 0},
        {460, 280, 0.6F, 0.8F}, {700, 600, 0.6F, 0.8F},
    };
    float values[WINDOW_CONTROLS] = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        controls_aim(cases[i].x, cases[i].y, 800, 400, values);
        assert_true(fabsf(values[BKS_CONTROL_RIGHT_X] - cases[i].right) < 0.001F);
        assert_true(fabsf(values[BKS_CONTROL_RIGHT_Y] - cases[i].down) < 0.001F);
    }
    controls_aim(1, 1, 0, 0, values); // a window without a size
    assert_true(fabsf(values[BKS_CONTROL_RIGHT_X]) <= 1.0F);
    controls_aim(0, 0, 0, 0, values);
    assert_true(values[BKS_CONTROL_RIGHT_X] == 0.0F);
}

static void a_game_with_a_second_stick_can_be_aimed_in(void **state)
{
    (void)state;
    static const bks_control second[FIELDS] = {BKS_CONTROL_RIGHT_X, BKS_CONTROL_RIGHT_Y};
    const bks_plugin plugin = {.game = &game, .controls = mapped};
    const bks_plugin aimed = {.game = &game, .controls = second};
    assert_false(controls_can_aim(&plugin));
    assert_true(controls_can_aim(&aimed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_control_fills_its_field),
        cmocka_unit_test(a_diagonal_is_no_longer_than_a_stick),
        cmocka_unit_test(a_game_may_make_one_field_of_several_controls),
        cmocka_unit_test(what_a_game_reads_is_found_out),
        cmocka_unit_test(a_mouse_aims_from_the_middle_of_the_picture),
        cmocka_unit_test(a_game_with_a_second_stick_can_be_aimed_in),
        cmocka_unit_test(a_game_without_controls_stays_neutral),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
