// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "screen/window/png.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

enum { WIDTH = 5, HEIGHT = 3 };

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// Find a chunk, checking the sums of all on the way.
static const uint8_t *chunk(const uint8_t *bytes, size_t count, const char *type, uint32_t *length)
{
    for (size_t at = 8; at + 12 <= count;) {
        *length = get_u32(bytes + at);
        const uint8_t *body = bytes + at + 8;
        assert_int_equal(crc32(0, bytes + at + 4, *length + 4), get_u32(body + *length));
        if (memcmp(bytes + at + 4, type, 4) == 0) {
            return body;
        }
        at += 12 + *length;
    }
    return NULL;
}

static void a_written_picture_reads_back(void **state)
{
    (void)state;
    uint8_t rgb[WIDTH * HEIGHT * 3];
    for (size_t i = 0; i < sizeof(rgb); i++) {
        rgb[i] = (uint8_t)(i * 37);
    }
    assert_int_equal(png_write("a.png", rgb, WIDTH, HEIGHT), TOOL_OK);
    uint8_t bytes[4096];
    FILE *file = fopen("a.png", "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1A\n", 8);
    uint32_t length = 0;
    const uint8_t *header = chunk(bytes, count, "IHDR", &length);
    assert_int_equal(get_u32(header), WIDTH);
    assert_int_equal(get_u32(header + 4), HEIGHT);
    const uint8_t *body = chunk(bytes, count, "IDAT", &length);
    uint8_t rows[HEIGHT][1 + WIDTH * 3];
    uLongf unpacked = sizeof(rows);
    assert_int_equal(uncompress(&rows[0][0], &unpacked, body, length), Z_OK);
    assert_int_equal(unpacked, sizeof(rows));
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t i = 0; i < WIDTH * 3; i++) {
            assert_int_equal(rows[y][0], 2); // each row as its difference to the one above
            rows[y][1 + i] = (uint8_t)(rows[y][1 + i] + (y > 0 ? rows[y - 1][1 + i] : 0));
            assert_int_equal(rows[y][1 + i], rgb[y * WIDTH * 3 + i]);
        }
    }
    assert_non_null(chunk(bytes, count, "IEND", &length));
}

static void an_unwritable_path_is_reported(void **state)
{
    (void)state;
    const uint8_t rgb[3] = {0};
    assert_int_equal(png_write("missing/a.png", rgb, 1, 1), TOOL_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_picture_reads_back),
        cmocka_unit_test(an_unwritable_path_is_reported),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
