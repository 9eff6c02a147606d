// SPDX-License-Identifier: MIT

#include "page_canvas.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 16, TEXT_BYTES_MAX = 255 };

// Most words of a picture: the state of an untrusted recording may make a game draw without an end.
enum { WORDS_MAX = 1 << 20 };

// Append the head of a shape.
// @return room for the words after the head, NULL if the picture is full
static uint32_t *begin_shape(page_canvas *c, uint32_t kind, uint32_t count, bks_colour colour,
                             size_t words)
{
    const size_t wanted = c->count + 2 + words;
    if (wanted > WORDS_MAX) {
        return NULL;
    }
    if (wanted > c->capacity) {
        uint32_t *larger = realloc(c->words, 2 * wanted * sizeof(*larger));
        if (larger == NULL) {
            return NULL;
        }
        c->words = larger;
        c->capacity = 2 * wanted;
    }
    uint32_t *out = c->words + c->count;
    out[0] = kind | count << 8;
    out[1] = colour;
    c->count = wanted;
    return out + 2;
}

static void shape(page_canvas *c, uint32_t kind, uint32_t count, bks_colour colour,
                  const float *numbers, size_t words)
{
    uint32_t *out = begin_shape(c, kind, count, colour, words);
    if (out != NULL) {
        memcpy(out, numbers, words * sizeof(*numbers));
    }
}

static void clear(void *context, bks_colour colour)
{
    page_canvas *c = context;
    c->count = 0;
    (void)begin_shape(c, PAGE_SHAPE_CLEAR, 0, colour, 0);
}

static void rectangle(void *context, float x, float y, float width, float height, bks_colour colour)
{
    const float numbers[] = {x, y, width, height};
    shape(context, PAGE_SHAPE_RECTANGLE, 0, colour, numbers, 4);
}

static void polygon(void *context, const float *points, uint32_t count, bks_colour colour)
{
    if (count >= 3 && count <= POINTS_MAX) {
        shape(context, PAGE_SHAPE_POLYGON, count, colour, points, 2 * (size_t)count);
    }
}

static void line(void *context, float x0, float y0, float x1, float y1, float width,
                 bks_colour colour)
{
    const float numbers[] = {x0, y0, x1, y1, width};
    shape(context, PAGE_SHAPE_LINE, 0, colour, numbers, 5);
}

static void circle(void *context, float x, float y, float radius, bks_colour colour)
{
    const float numbers[] = {x, y, radius};
    shape(context, PAGE_SHAPE_CIRCLE, 0, colour, numbers, 3);
}

static void text(void *context, float x, float y, float size, bks_colour colour, const char *words)
{
    const float numbers[] = {x, y, size};
    size_t bytes = strlen(words);
    bytes = bytes < TEXT_BYTES_MAX ? bytes : TEXT_BYTES_MAX;
    const size_t filled = (bytes + 3) / 4;
    uint32_t *out = begin_shape(context, PAGE_SHAPE_TEXT, (uint32_t)bytes, colour, 3 + filled);
    if (out != NULL) {
        memset(out, 0, (3 + filled) * sizeof(*out));
        memcpy(out, numbers, sizeof(numbers));
        memcpy(out + 3, words, bytes);
    }
}

static float text_width(void *context, float size, const char *words)
{
    const page_canvas *c = context;
    float width = 0.0F;
    for (; *words != '\0'; words++) {
        const uint32_t glyph = (uint32_t)(unsigned char)*words - (uint32_t)' ';
        width += c->advances[glyph < PAGE_GLYPHS ? glyph : (uint32_t)('?' - ' ')];
    }
    return width * size;
}

bks_canvas page_canvas_begin(page_canvas *canvas, float width, float height)
{
    canvas->count = 0;
    return (bks_canvas){
        .width = width,
        .height = height,
        .context = canvas,
        .clear = clear,
        .rectangle = rectangle,
        .polygon = polygon,
        .line = line,
        .circle = circle,
        .text = text,
        .text_width = text_width,
    };
}
