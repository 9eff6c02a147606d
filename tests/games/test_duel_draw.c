// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "duel/duel.h"
#include "duel/duel_plugin.c" // the plug-in's symbol and its device
#include "duel_help.h"

// A canvas that looks at what is asked of it.
typedef struct witness {
    uint32_t calls;
    uint32_t texts;
    float width, height;
} witness;

static void expect_number(witness *seen, float value)
{
    const float most = 4.0f * (seen->width + seen->height) + 100.0f;
    if (!(value > -most && value < most)) { // a NaN fails too
        fail_msg("call %u draws at %g on a canvas of %g x %g", (unsigned)seen->calls, (double)value,
                 (double)seen->width, (double)seen->height);
    }
}

static void see_clear(void *context, bks_colour colour)
{
    witness *seen = context;
    assert_int_equal(seen->calls, 0);
    assert_int_equal(colour & 0xFFu, 0xFFu);
    seen->calls++;
}

static void see_rectangle(void *context, float x, float y, float width, float height,
                          bks_colour colour)
{
    witness *seen = context;
    (void)colour;
    seen->calls++;
    expect_number(seen, x);
    expect_number(seen, y);
    expect_number(seen, width);
    expect_number(seen, height);
    assert_true(width > 0.0f && height > 0.0f);
}

static void see_polygon(void *context, const float *points, uint32_t count, bks_colour colour)
{
    witness *seen = context;
    (void)colour;
    seen->calls++;
    assert_in_range(count, 3, 16);
    float turns = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        const float *a = &points[2 * i];
        const float *b = &points[2 * ((i + 1) % count)];
        const float *c = &points[2 * ((i + 2) % count)];
        expect_number(seen, a[0]);
        expect_number(seen, a[1]);
        const float turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        const float slack = 0.001f * (seen->width + seen->height);
        assert_true(turn * turns >= 0.0f || (turn < slack && turn > -slack)); // convex
        turns += turn;
    }
}

static void see_line(void *context, float x0, float y0, float x1, float y1, float width,
                     bks_colour colour)
{
    witness *seen = context;
    (void)colour;
    seen->calls++;
    expect_number(seen, x0);
    expect_number(seen, y0);
    expect_number(seen, x1);
    expect_number(seen, y1);
    assert_true(width > 0.0f);
}

static void see_circle(void *context, float x, float y, float radius, bks_colour colour)
{
    witness *seen = context;
    (void)colour;
    seen->calls++;
    expect_number(seen, x);
    expect_number(seen, y);
    assert_true(radius > 0.0f);
    expect_number(seen, radius);
}

static void see_text(void *context, float x, float y, float size, bks_colour colour,
                     const char *text)
{
    witness *seen = context;
    (void)colour;
    seen->calls++;
    seen->texts++;
    expect_number(seen, x);
    expect_number(seen, y);
    assert_true(size > 0.0f);
    for (const char *c = text; *c != '\0'; c++) {
        assert_in_range(*c, ' ', '~');
    }
}

static float width_of_text(void *context, float size, const char *text)
{
    (void)context;
    return 0.6f * size * (float)strlen(text);
}

static uint32_t draw(const void *state, float width, float height, bool is_coarse)
{
    witness seen = {.width = width, .height = height};
    const bks_canvas canvas = {.width = width,
                               .height = height,
                               .is_coarse = is_coarse,
                               .context = &seen,
                               .clear = see_clear,
                               .rectangle = see_rectangle,
                               .polygon = see_polygon,
                               .line = see_line,
                               .circle = see_circle,
                               .text = see_text,
                               .text_width = width_of_text};
    const bks_picture picture = bks_picture_of(state);
    bks_plugin_main.draw(&picture, &canvas);
    assert_true(seen.texts > 0);
    return seen.calls;
}

static void every_moment_can_be_drawn_at_every_size(void **state)
{
    (void)state;
    static const float sizes[][2] = {{1920, 1080}, {1280, 720}, {333, 999}, {80, 46}, {1, 1}};
    const char *const modes[] = {"versus", "arcade"};
    for (int mode = 0; mode < 2; mode++) {
        bksi_runner *runner = duel_help_open(modes[mode], "cross", "50", 4, 11);
        duel_state *duel = bksi_runner_state(runner);
        uint64_t memory[DUEL_SEATS][8] = {{0}};
        duel_input inputs[DUEL_SEATS] = {0};
        uint32_t phases = 0;
        for (bks_tick tick = 0; tick < 9000; tick++) {
            duel_help_bots(runner, tick, memory, inputs);
            bksi_runner_step(runner, tick, &inputs[0].move_x);
            phases |= 1u << duel->phase;
            if (tick % 7 != 0) {
                continue;
            }
            const float *size = sizes[(uint32_t)tick / 7u % 5u];
            const uint64_t before = bksi_runner_hash(runner);
            assert_true(draw(duel, size[0], size[1], tick % 2 != 0) > 5);
            assert_int_equal(bksi_runner_hash(runner), before);
        }
        assert_int_equal(phases, mode == 0 ? 15 : 11); // the arcade has no rounds
        bksi_runner_destroy(runner);
    }
}

// Of 24 x 14 tiles, as they are at first.
static void a_board_takes_few_more_shapes_than_it_has_tiles(void **state)
{
    (void)state;
    bksi_runner *runner = duel_help_open("versus", "plain", "50", 2, 11);
    assert_in_range(draw(bksi_runner_state(runner), 1280, 720, false), 24 * 14, 24 * 14 + 200);
    bksi_runner_destroy(runner);
}

static void face_buttons_fire_and_the_stick_flies(void **state)
{
    (void)state;
    float controls[BKS_CONTROL_START + 1] = {0};
    float raw[3];
    assert_int_equal(duel_game.field_count, 3);
    controls[BKS_CONTROL_LEFT_X] = -0.5f;
    controls[BKS_CONTROL_LEFT_Y] = 0.25f;
    bks_plugin_main.device(controls, raw);
    assert_true(raw[0] == -0.5f && raw[1] == 0.25f && raw[2] == 0.0f);
    for (int i = 0; i < 4; i++) {
        memset(controls, 0, sizeof(controls));
        controls[BKS_CONTROL_NORTH + i] = 1.0f;
        bks_plugin_main.device(controls, raw);
        assert_true(raw[2] == (float)(DUEL_NORTH + i));
    }
}

static void scores_are_short_lines(void **state)
{
    (void)state;
    const char *const modes[] = {"versus", "arcade"};
    for (int mode = 0; mode < 2; mode++) {
        bksi_runner *runner = duel_help_open(modes[mode], "plain", "99", 4, 11);
        duel_state *duel = bksi_runner_state(runner);
        duel->points = UINT32_MAX;
        duel->matches_won[0] = UINT16_MAX;
        duel_ship_of(duel, 0)->kills = UINT16_MAX;
        duel_ship_of(duel, 0)->deaths = UINT16_MAX;
        for (uint32_t player = 0; player < 5; player++) {
            char line[64];
            memset(line, '#', sizeof(line));
            bks_plugin_main.score(duel, player, line);
            const char *end = memchr(line, '\0', sizeof(line));
            assert_non_null(end);
            assert_true(end - line >= 5);
        }
        bksi_runner_destroy(runner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_moment_can_be_drawn_at_every_size),
        cmocka_unit_test(a_board_takes_few_more_shapes_than_it_has_tiles),
        cmocka_unit_test(face_buttons_fire_and_the_stick_flies),
        cmocka_unit_test(scores_are_short_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
