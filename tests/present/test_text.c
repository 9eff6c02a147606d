// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/present.h"

/// Width and height of the canvas, in dots.
enum { WIDTH = 24, HEIGHT = 20 };

/// Paint a text with dots of 2, two from the corner.
static void paint(const char *text, char picture[HEIGHT][WIDTH])
{
    bks_text_box boxes[256];
    memset(picture, ' ', HEIGHT * WIDTH);
    const uint32_t count = bks_text_boxes(text, 2.0f, 2.0f, 2.0f, boxes, 256);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(boxes[i].height == 2.0f);
        for (float x = boxes[i].x; x < boxes[i].x + boxes[i].width; x += 2.0f) {
            char *dot = &picture[(int)boxes[i].y / 2 - 1][(int)x / 2 - 1];
            assert_int_equal(*dot, ' '); // no dot twice
            *dot = '#';
        }
    }
}

static void assert_row(char picture[HEIGHT][WIDTH], int row, const char *expected)
{
    char is[WIDTH + 1] = {0};
    memcpy(is, picture[row], WIDTH);
    is[strlen(expected)] = '\0';
    assert_string_equal(is, expected);
}

static void letters_are_as_wide_as_they_need_and_digits_all_alike(void **context)
{
    (void)context;
    char picture[HEIGHT][WIDTH];
    paint("Il1", picture);
    assert_row(picture, 0, "### ##    #  ");
    assert_row(picture, 1, " #   #   ##  ");
    assert_row(picture, 6, "### ###  ### ");
}

static void a_newline_begins_the_next_line_ten_dots_below(void **context)
{
    (void)context;
    char picture[HEIGHT][WIDTH];
    paint("H\nH", picture);
    assert_row(picture, 0, "#   # ");
    assert_row(picture, 9, "      ");
    assert_row(picture, 10, "#   # ");
}

static void what_is_not_printable_is_a_question_mark(void **context)
{
    (void)context;
    uint8_t shown[BKS_TEXT_ROWS];
    uint8_t mark[BKS_TEXT_ROWS];
    bks_text_dots('?', mark);
    bks_text_dots('\x01', shown);
    assert_memory_equal(shown, mark, sizeof(mark));
    bks_text_dots((char)0xE4, shown);
    assert_memory_equal(shown, mark, sizeof(mark));
}

static void no_character_takes_more_than_17_boxes_and_what_finds_no_room_is_left_out(void **context)
{
    (void)context;
    bks_text_box boxes[64];
    uint32_t most = 0;
    for (char character = ' '; character <= '~'; character++) {
        const char text[2] = {character, '\0'};
        const uint32_t count = bks_text_boxes(text, 0.0f, 0.0f, 1.0f, boxes, 64);
        assert_int_equal(count == 0, character == ' ');
        most = count > most ? count : most;
    }
    assert_int_equal(most, 17);
    assert_int_equal(bks_text_boxes("many letters", 0.0f, 0.0f, 1.0f, boxes, 10), 10);
    assert_int_equal(bks_text_boxes("none", 0.0f, 0.0f, 1.0f, NULL, 0), 0);
    assert_int_equal(bks_text_boxes(NULL, 0.0f, 0.0f, 1.0f, boxes, 10), 0);
    assert_int_equal(bks_text_boxes("nowhere", 0.0f, 0.0f, 1.0f, NULL, 10), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_are_as_wide_as_they_need_and_digits_all_alike),
        cmocka_unit_test(a_newline_begins_the_next_line_ten_dots_below),
        cmocka_unit_test(what_is_not_printable_is_a_question_mark),
        cmocka_unit_test(no_character_takes_more_than_17_boxes_and_what_finds_no_room_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
