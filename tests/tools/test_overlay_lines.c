// SPDX-License-Identifier: MIT

// What stands in the terminal below the picture.

#include "screen/overlay/overlay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static overlay_figures figures;
static bks_figures measured;
static char lines[3][OVERLAY_TEXT_BYTES];

static int fill(void **state)
{
    (void)state;
    measured = (bks_figures){.window_ms = 2000, .link_count = 3};
    measured.links[1].has_peer = measured.links[2].has_peer = true;
    figures = (overlay_figures){.tick = 600,
                                .published = BKS_TICK_NONE,
                                .tick_rate_hz = 60,
                                .figures = &measured,
                                .pictures_hz = 60.0};
    for (uint32_t i = 0; i < 3; i++) {
        figures.roster.player_count[i] = 1;
        figures.roster.is_in[i] = true;
    }
    return 0;
}

static bool says(const char *text)
{
    overlay_lines(&figures, lines);
    return strstr(lines[0], text) != NULL || strstr(lines[1], text) != NULL ||
           strstr(lines[2], text) != NULL;
}

static void how_fast_pictures_come_is_said_once_it_is_known(void **state)
{
    (void)state;
    assert_false(says("pictures/s"));
    figures.pictures = (picture_rate){.pictures_hz = 60.0, .draw_ms = 2.0, .ticks_hz = 60.0};
    assert_true(says("60 pictures/s: 2.0 ms to draw"));
    assert_false(says("late"));
    figures.pictures = (picture_rate){.pictures_hz = 30.0, .draw_ms = 20.0, .ticks_hz = 50.0};
    assert_true(says("30 of 60 pictures/s: 20 ms to draw"));
    assert_true(says("ticks are late: 50/s, not 60"));
}

static void a_peer_that_has_left_has_no_figures(void **state)
{
    (void)state;
    assert_true(says("peer 1 ") && says("peer 2 "));
    figures.roster.is_in[1] = false;
    assert_false(says("peer 1 "));
    assert_true(says("peer 2 "));
}

static void without_rollbacks_no_depth_is_said(void **state)
{
    (void)state;
    measured.depth = (bks_figure){.now = 3.0F, .least = 3.0F, .mean = 3.0F, .most = 3.0F};
    measured.depth.history[BKS_FIGURE_POINTS - 21].weight = 1.0F; // before the window
    assert_true(says("0.0 rollbacks/s   0/s stepped again"));
    measured.depth.history[BKS_FIGURE_POINTS - 20].weight = 1.0F;
    assert_true(says("0.0 rollbacks/s, 3.0 deep, 3 at most   0/s stepped again"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(how_fast_pictures_come_is_said_once_it_is_known, fill),
        cmocka_unit_test_setup(a_peer_that_has_left_has_no_figures, fill),
        cmocka_unit_test_setup(without_rollbacks_no_depth_is_said, fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
