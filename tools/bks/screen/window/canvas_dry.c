// SPDX-License-Identifier: MIT

#include "screen/window/canvas_dry.h"

#include <math.h>
#include <string.h>

#include "screen/window/canvas.h"

static void take(canvas_dry *dry, const float *numbers, uint32_t count, bks_colour colour)
{
    dry->calls++;
    dry->arguments = (dry->arguments ^ colour) * UINT64_C(0x100000001B3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits = 0;
        memcpy(&bits, &numbers[i], sizeof(bits));
        dry->arguments = (dry->arguments ^ bits) * UINT64_C(0x100000001B3); // FNV-1a by words
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
