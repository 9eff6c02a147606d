// SPDX-License-Identifier: MIT

#include "screen/window/canvas_soft.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 32 };

typedef struct picture {
    canvas_soft soft;
    bks_canvas canvas;
} picture;

static int open_picture(void **state)
{
    static picture p;
    p = (picture){0};
    assert_true(canvas_soft_resize(&p.soft, SIDE, SIDE));
    p.canvas = canvas_soft_canvas(&p.soft, false);
    *state = &p;
    return 0;
}

static int close_picture(void **state)
{
    picture *p = *state;
    canvas_soft_close(&p->soft);
    return 0;
}

static uint32_t pixel(const picture *p, size_t x, size_t y)
{
    const uint8_t *rgb = p->soft.rgb + 3 * (y * p->soft.width + x);
    return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

// The red of all pixels, in pixels of full red.
static double red_area(const picture *p)
{
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)p->soft.width * p->soft.height; i++) {
        sum += p->soft.rgb[3 * i];
    }
    return sum / 255.0;
}

static void assert_near(double value, double wanted, double within)
{
    if (!(fabs(value - wanted) <= within)) {
        fail_msg("%f is not within %f of %f", value, within, wanted);
    }
}

static void clear_fills_every_pixel(void **state)
{
    picture *p = *state;
    p->canvas.clear(p->canvas.context, 0x123456FF);
    assert_int_equal(pixel(p, 0, 0), 0x123456);
    assert_int_equal(pixel(p, SIDE - 1, SIDE - 1), 0x123456);
}

static void a_rectangle_on_whole_pixels_has_sharp_edges(void **state)
{
    picture *p = *state;
    p->canvas.rectangle(p->canvas.context, 4, 5, 3, 2, 0xFF0000FF);
    assert_int_equal(pixel(p, 4, 5), 0xFF0000);
    assert_int_equal(pixel(p, 6, 6), 0xFF0000);
    assert_int_equal(pixel(p, 3, 5), 0);
    assert_int_equal(pixel(p, 7, 5), 0);
    assert_int_equal(pixel(p, 4, 4), 0);
    assert_int_equal(pixel(p, 4, 7), 0);
    assert_near(red_area(p), 6.0, 0.0);
}

static void a_rectangle_between_pixels_is_weighed(void **state)
{
    picture *p = *state;
    p->canvas.rectangle(p->canvas.context, 4.25F, 5.5F, 0.5F, 0.5F, 0xFF0000FF);
    assert_int_equal(pixel(p, 4, 5), 0x400000); // a quarter
    p->canvas.rectangle(p->canvas.context, 10.5F, 10.5F, 4, 4, 0xFF0000FF);
    assert_near(red_area(p), 16.25, 0.05);
}

static void shapes_have_the_area_they_should(void **state)
{
    picture *p = *state;
    p->canvas.circle(p->canvas.context, 15.3F, 16.1F, 9.7F, 0xFF0000FF);
    assert_near(red_area(p), 3.14159265 * 9.7 * 9.7, 1.5);
    p->canvas.clear(p->canvas.context, 0x000000FF);
    const float triangle[] = {3, 3, 29, 8, 10, 28};
    p->canvas.polygon(p->canvas.context, triangle, 3, 0xFF0000FF);
    assert_near(red_area(p), 307.5, 1.5);
    p->canvas.clear(p->canvas.context, 0x000000FF);
    p->canvas.line(p->canvas.context, 4, 4, 28, 22, 2.5F, 0xFF0000FF);
    assert_near(red_area(p), 75.0, 1.0);
}

static void a_flat_edge_fades_in_steps(void **state)
{
    picture *p = *state;
    const float sliver[] = {0, 8, 32, 10, 32, 20, 0, 20};
    p->canvas.polygon(p->canvas.context, sliver, 4, 0xFF0000FF);
    int shades = 1;
    for (size_t x = 1; x < SIDE; x++) {
        shades += pixel(p, x, 8) != pixel(p, x - 1, 8);
    }
    assert_true(shades >= 5);
}

static void which_way_round_a_polygon_goes_does_not_matter(void **state)
{
    picture *p = *state;
    const float one_way[] = {3, 3, 29, 8, 10, 28};
    const float other_way[] = {10, 28, 29, 8, 3, 3};
    p->canvas.polygon(p->canvas.context, one_way, 3, 0xFF0000FF);
    const double area = red_area(p);
    p->canvas.clear(p->canvas.context, 0x000000FF);
    p->canvas.polygon(p->canvas.context, other_way, 3, 0xFF0000FF);
    assert_near(red_area(p), area, 0.05);
}

static void colours_blend_by_their_alpha(void **state)
{
    picture *p = *state;
    p->canvas.clear(p->canvas.context, 0x0000FFFF);
    p->canvas.rectangle(p->canvas.context, 0, 0, 8, 8, 0xFF000080);
    assert_int_equal(pixel(p, 3, 3), 0x80007F);
    p->canvas.rectangle(p->canvas.context, 0, 0, 8, 8, 0x00FF0000);
    assert_int_equal(pixel(p, 3, 3), 0x80007F);
}

static void what_lies_outside_is_cut_off(void **state)
{
    picture *p = *state;
    p->canvas.rectangle(p->canvas.context, -10, -10, 100, 100, 0xFF0000FF);
    assert_near(red_area(p), SIDE * SIDE, 0.0);
    p->canvas.clear(p->canvas.context, 0x000000FF);
    p->canvas.circle(p->canvas.context, 0, 0, 10, 0xFF0000FF);
    assert_near(red_area(p), 3.14159265 * 25.0, 0.6);
    p->canvas.circle(p->canvas.context, 1000, 1000, 10, 0xFF0000FF);
    p->canvas.rectangle(p->canvas.context, 40, 40, 5, 5, 0xFF0000FF);
    const float far[] = {-1e9F, -1e9F, -9e8F, -1e9F, -1e9F, -9e8F};
    p->canvas.polygon(p->canvas.context, far, 3, 0xFF0000FF);
    p->canvas.text(p->canvas.context, -500, -500, 20, 0xFF0000FF, "away");
    p->canvas.text(p->canvas.context, 30, 30, 20, 0x00FF00FF, "edge");
    assert_near(red_area(p), 3.14159265 * 25.0, 0.6);
}

static void what_is_no_number_draws_nothing(void **state)
{
    picture *p = *state;
    const float nan = NAN;
    const float points[] = {1, 1, nan, 5, 9, 9};
    p->canvas.rectangle(p->canvas.context, nan, 1, 5, 5, 0xFF0000FF);
    p->canvas.rectangle(p->canvas.context, 1, 1, -5, 5, 0xFF0000FF);
    p->canvas.circle(p->canvas.context, 5, 5, nan, 0xFF0000FF);
    p->canvas.circle(p->canvas.context, 5, 5, INFINITY, 0xFF0000FF);
    p->canvas.polygon(p->canvas.context, points, 3, 0xFF0000FF);
    p->canvas.polygon(p->canvas.context, points, 2, 0xFF0000FF);
    p->canvas.line(p->canvas.context, 1, 1, 1, 1, 3, 0xFF0000FF);
    p->canvas.line(p->canvas.context, 1, nan, 1, 1, 3, 0xFF0000FF);
    p->canvas.text(p->canvas.context, nan, 1, 20, 0xFF0000FF, "x");
    assert_near(red_area(p), 0.0, 0.0);
}

static void text_is_as_wide_as_it_says(void **state)
{
    picture *p = *state;
    assert_true(canvas_soft_resize(&p->soft, 400, 60));
    p->canvas = canvas_soft_canvas(&p->soft, false);
    const char *words = "Backstitch 0123";
    const float width = p->canvas.text_width(p->canvas.context, 30, words);
    p->canvas.text(p->canvas.context, 10, 10, 30, 0xFF0000FF, words);
    uint32_t rightmost = 0;
    for (uint32_t y = 0; y < 60; y++) {
        for (uint32_t x = 0; x < 400; x++) {
            rightmost = pixel(p, x, y) != 0 && x > rightmost ? x : rightmost;
        }
    }
    assert_in_range(rightmost, (uint32_t)width + 10 - 8, (uint32_t)width + 10);
    assert_true(red_area(p) > 300.0);
}

static void every_size_of_text_can_be_drawn(void **state)
{
    picture *p = *state;
    for (int size = 0; size < 600; size += 37) {
        p->canvas.text(p->canvas.context, 1, 1, (float)size, 0xFF0000FF, "Ag\x01\xFF");
    }
    assert_true(red_area(p) > 10.0);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    canvas_soft soft = {0};
    assert_false(canvas_soft_resize(&soft, 0, 10));
    assert_false(canvas_soft_resize(&soft, 10, CANVAS_SOFT_SIDE_MAX + 1));
    assert_null(soft.rgb);
    canvas_soft_close(&soft);
}

#define ON_A_PICTURE(test) cmocka_unit_test_setup_teardown(test, open_picture, close_picture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_PICTURE(clear_fills_every_pixel),
        ON_A_PICTURE(a_rectangle_on_whole_pixels_has_sharp_edges),
        ON_A_PICTURE(a_rectangle_between_pixels_is_weighed),
        ON_A_PICTURE(shapes_have_the_area_they_should),
        ON_A_PICTURE(a_flat_edge_fades_in_steps),
        ON_A_PICTURE(which_way_round_a_polygon_goes_does_not_matter),
        ON_A_PICTURE(colours_blend_by_their_alpha),
        ON_A_PICTURE(what_lies_outside_is_cut_off),
        ON_A_PICTURE(what_is_no_number_draws_nothing),
        ON_A_PICTURE(text_is_as_wide_as_it_says),
        ON_A_PICTURE(every_size_of_text_can_be_drawn),
        cmocka_unit_test(sizes_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
