// SPDX-License-Identifier: MIT

#include "screen/window/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "screen/window/font.h"

uint32_t canvas_text_px(float size)
{
    return size >= 1.0F && size < 512.0F ? (uint32_t)(size + 0.5F) : size < 1.0F ? 1 : 512;
}

float canvas_text_width(void *context, float size, const char *text)
{
    (void)context;
    return (float)font_width_px(canvas_text_px(size), text);
}

bool canvas_line_corners(float x0, float y0, float x1, float y1, float width, float out[8])
{
    const float dx = x1 - x0;
    const float dy = y1 - y0;
    const float length = hypotf(dx, dy);
    if (!(length > 0.0F)) {
        return false;
    }
    const float nx = -dy / length * width / 2.0F;
    const float ny = dx / length * width / 2.0F;
    const float corners[8] = {x0 + nx, y0 + ny, x1 + nx, y1 + ny,
                              x1 - nx, y1 - ny, x0 - nx, y0 - ny};
    memcpy(out, corners, sizeof(corners));
    return true;
}

// ---- blocks of text ----

enum { LINE_BYTES = 512 };

static bool fits(const text_block *block, const bks_canvas *canvas, const char *text, size_t length)
{
    char line[LINE_BYTES];
    if (length >= sizeof(line)) {
        return false;
    }
    snprintf(line, sizeof(line), "%.*s", (int)length, text);
    return canvas->text_width(canvas->context, block->size, line) <= block->width;
}

/// Return the number of bytes of `text` that make its first line.
static size_t first_line(const text_block *block, const bks_canvas *canvas, const char *text)
{
    const size_t length = strlen(text);
    size_t most = length > 0 ? 1 : 0;
    while (most < length && fits(block, canvas, text, most + 1)) {
        most++;
    }
    if (most == length) {
        return length;
    }
    size_t wide_gap = 0;
    size_t gap = 0;
    for (size_t i = 1; i <= most; i++) {
        if (text[i] == ' ') {
            gap = i;
            wide_gap = text[i + 1] == ' ' ? i : wide_gap;
        }
    }
    return wide_gap > 0 ? wide_gap : gap > 0 ? gap : most;
}

/// Walk through the lines of a text. Draw them if a colour is given. Return the number of lines.
static uint32_t walk(const text_block *block, const bks_canvas *canvas, float y,
                     const bks_colour *colour, const char *text)
{
    uint32_t rows = 0;
    while (*text != '\0' && (block->rows_max == 0 || rows < block->rows_max)) {
        const size_t length = first_line(block, canvas, text);
        if (colour != NULL) {
            char line[LINE_BYTES];
            snprintf(line, sizeof(line), "%.*s", (int)length, text);
            const float room =
                block->width - canvas->text_width(canvas->context, block->size, line);
            canvas->text(canvas->context, block->left + (block->is_centred ? room / 2.0F : 0.0F),
                         y + (float)rows * block->pitch, block->size, *colour, line);
        }
        text += length;
        text += strspn(text, " ");
        rows++;
    }
    return rows;
}

uint32_t text_block_rows(const text_block *block, const bks_canvas *canvas, const char *text)
{
    return walk(block, canvas, 0.0F, NULL, text);
}

uint32_t text_block_draw(const text_block *block, const bks_canvas *canvas, float y,
                         bks_colour colour, const char *text)
{
    return walk(block, canvas, y, &colour, text);
}

static void take(canvas_dry *dry, const float *numbers, uint32_t count, bks_colour colour)
{
    dry->calls++;
    dry->arguments = (dry->arguments ^ colour) * UINT64_C(0x100000001B3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits = 0;
        memcpy(&bits, &numbers[i], sizeof(bits));
        // Hash of the bytes as 32-bit words, by the method of FNV-1a.
        dry->arguments = (dry->arguments ^ bits) * UINT64_C(0x100000001B3);
        if (!isfinite(numbers[i])) {
            dry->refused++;
            return;
        }
    }
}

static void clear(void *context, bks_colour colour)
{
    take(context, NULL, 0, colour);
}

static void rectangle(void *context, float x, float y, float width, float height, bks_colour colour)
{
    const float numbers[] = {x, y, width, height};
    take(context, numbers, 4, colour);
}

static void polygon(void *context, const float *points, uint32_t count, bks_colour colour)
{
    canvas_dry *dry = context;
    if (count < 3 || count > CANVAS_POINTS_MAX) {
        dry->calls++;
        dry->refused++;
        return;
    }
    take(dry, points, 2 * count, colour);
}

static void line(void *context, float x0, float y0, float x1, float y1, float width,
                 bks_colour colour)
{
    const float numbers[] = {x0, y0, x1, y1, width};
    take(context, numbers, 5, colour);
}

static void circle(void *context, float x, float y, float radius, bks_colour colour)
{
    const float numbers[] = {x, y, radius};
    take(context, numbers, 3, colour);
}

static void text(void *context, float x, float y, float size, bks_colour colour, const char *words)
{
    const float numbers[] = {x, y, size, canvas_text_width(NULL, size, words)};
    take(context, numbers, 4, colour);
}

bks_canvas canvas_dry_canvas(canvas_dry *dry, float width, float height)
{
    return (bks_canvas){
        .width = width,
        .height = height,
        .context = dry,
        .clear = clear,
        .rectangle = rectangle,
        .polygon = polygon,
        .line = line,
        .circle = circle,
        .text = text,
        .text_width = canvas_text_width,
    };
}
