// SPDX-License-Identifier: MIT

#include "screen/window/canvas_soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen/window/canvas.h"

enum {
    SUBROWS = 5
}; ///< number of sample lines in each row of pixels; coverage along a row is exact

bool canvas_soft_resize(canvas_soft *picture, uint32_t width, uint32_t height)
{
    if (picture->rgb != NULL && picture->width == width && picture->height == height) {
        return true;
    }
    free(picture->rgb);
    free(picture->cover);
    picture->rgb = NULL;
    picture->cover = NULL;
    if (width >= 1 && width <= CANVAS_SOFT_SIDE_MAX && height >= 1 &&
        height <= CANVAS_SOFT_SIDE_MAX) {
        picture->width = width;
        picture->height = height;
        picture->rgb = calloc((size_t)width * height, 3);
        // Each pixel of the row has two floats: its coverage, and the change of coverage at pixels
        // where full coverage begins or ends.
        picture->cover = calloc(2 * ((size_t)width + 2), sizeof(float));
    }
    if (picture->rgb == NULL || picture->cover == NULL) {
        canvas_soft_close(picture);
        return false;
    }
    return true;
}

void canvas_soft_close(canvas_soft *picture)
{
    free(picture->rgb);
    free(picture->cover);
    for (uint32_t i = 0; i < CANVAS_SOFT_FACES; i++) {
        font_face_close(&picture->faces[i]);
    }
    *picture = (canvas_soft){0};
}

static void blend(uint8_t *pixel, bks_colour colour, uint32_t alpha)
{
    const uint32_t parts[3] = {colour >> 24, colour >> 16 & 0xFF, colour >> 8 & 0xFF};
    for (int i = 0; i < 3; i++) {
        const uint32_t mixed = parts[i] * alpha + pixel[i] * (255 - alpha);
        pixel[i] = (uint8_t)((mixed + 127) / 255);
    }
}

static void clear(void *context, bks_colour colour)
{
    canvas_soft *picture = context;
    const size_t count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; i++) {
        picture->rgb[3 * i] = (uint8_t)(colour >> 24);
        picture->rgb[3 * i + 1] = (uint8_t)(colour >> 16);
        picture->rgb[3 * i + 2] = (uint8_t)(colour >> 8);
    }
}

// A convex shape. The part of a horizontal line that is inside the shape has one left end and one
// right end.
typedef struct shape {
    const float *points; ///< x and y of each corner of a polygon; NULL: the shape is a circle
    uint32_t count;
    float x, y, radius; ///< centre and radius of the circle
    float top, bottom;
} shape;

static bool cut_polygon(const shape *it, float y, float *left, float *right)
{
    *left = INFINITY;
    *right = -INFINITY;
    for (size_t i = 0; i < it->count; i++) {
        const float *a = &it->points[2 * i];
        const float *b = &it->points[2 * ((i + 1) % it->count)];
        if ((a[1] <= y) == (b[1] <= y)) {
            continue;
        }
        const float x = a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]);
        *left = x < *left ? x : *left;
        *right = x > *right ? x : *right;
    }
    return *left < *right;
}

static bool cut(const shape *it, float y, float *left, float *right)
{
    if (it->points != NULL) {
        return cut_polygon(it, y, left, right);
    }
    const float away = y - it->y;
    const float half2 = it->radius * it->radius - away * away;
    if (half2 <= 0.0F) {
        return false;
    }
    const float half = sqrtf(half2);
    *left = it->x - half;
    *right = it->x + half;
    return true;
}

// Add to a row's coverage the part of a sample line from `left` to `right`. `share` is the line's
// share of the row's height.
static void add_stretch(canvas_soft *picture, float left, float right, float share)
{
    float *cover = picture->cover;
    float *runs = cover + picture->width + 2;
    const float width = (float)picture->width;
    left = left < 0.0F ? 0.0F : left;
    right = right > width ? width : right;
    if (left >= right) {
        return;
    }
    const uint32_t first = (uint32_t)left;
    // `last` may be one past the row's last pixel, because the buffer has two spare pixels.
    const uint32_t last = (uint32_t)right;
    if (first == last) {
        cover[first] += (right - left) * share;
        return;
    }
    cover[first] += ((float)first + 1.0F - left) * share;
    runs[first + 1] += share;
    runs[last] -= share;
    cover[last] += (right - (float)last) * share;
}

// Blend a row's coverage between two pixels into the picture, and clear the coverage.
static void put_row(canvas_soft *picture, uint32_t y, uint32_t first, uint32_t last,
                    bks_colour colour)
{
    float *cover = picture->cover;
    float *runs = cover + picture->width + 2;
    uint8_t *row = picture->rgb + (size_t)y * picture->width * 3;
    const float alpha = (float)(colour & 0xFF);
    float run = 0.0F;
    for (uint32_t x = first; x <= last; x++) {
        run += runs[x];
        const float all = cover[x] + run;
        cover[x] = 0.0F;
        runs[x] = 0.0F;
        if (all > 0.002F && x < picture->width) {
            blend(row + 3 * (size_t)x, colour,
                  (uint32_t)((all < 1.0F ? all : 1.0F) * alpha + 0.5F));
        }
    }
}

static uint32_t clamp_pixel(float at, uint32_t limit)
{
    return at <= 0.0F ? 0 : at >= (float)limit ? limit : (uint32_t)at;
}

static void fill(canvas_soft *picture, const shape *it, bks_colour colour)
{
    if (!(it->bottom > 0.0F) || !(it->top < (float)picture->height)) {
        return;
    }
    const uint32_t y_end = clamp_pixel(ceilf(it->bottom), picture->height);
    for (uint32_t y = clamp_pixel(floorf(it->top), picture->height); y < y_end; y++) {
        float least = INFINITY;
        float greatest = -INFINITY;
        for (int i = 0; i < SUBROWS; i++) {
            float left = 0.0F;
            float right = 0.0F;
            if (cut(it, (float)y + ((float)i + 0.5F) / SUBROWS, &left, &right)) {
                add_stretch(picture, left, right, 1.0F / SUBROWS);
                least = left < least ? left : least;
                greatest = right > greatest ? right : greatest;
            }
        }
        if (least < greatest) {
            put_row(picture, y, clamp_pixel(least, picture->width),
                    clamp_pixel(greatest, picture->width) + 1, colour);
        }
    }
}

static void polygon(void *context, const float *points, uint32_t count, bks_colour colour)
{
    if (count < 3 || count > CANVAS_POINTS_MAX) {
        return;
    }
    shape it = {.points = points, .count = count, .top = points[1], .bottom = points[1]};
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(points[2 * i]) || !isfinite(points[2 * i + 1])) {
            return;
        }
        it.top = points[2 * i + 1] < it.top ? points[2 * i + 1] : it.top;
        it.bottom = points[2 * i + 1] > it.bottom ? points[2 * i + 1] : it.bottom;
    }
    fill(context, &it, colour);
}

// Fill a rectangle. Rectangles have their own code because games draw them most often, and because
// their coverage can be computed exactly.
static void rectangle(void *context, float x, float y, float width, float height, bks_colour colour)
{
    canvas_soft *picture = context;
    if (!isfinite(x) || !isfinite(y) || !(width > 0.0F) || !(height > 0.0F) || x + width <= 0.0F ||
        y + height <= 0.0F || x >= (float)picture->width || y >= (float)picture->height) {
        return;
    }
    const uint32_t first = clamp_pixel(x, picture->width);
    const uint32_t last = clamp_pixel(x + width, picture->width) + 1;
    const uint32_t y_end = clamp_pixel(ceilf(y + height), picture->height);
    for (uint32_t row = clamp_pixel(y, picture->height); row < y_end; row++) {
        const float top = y > (float)row ? y : (float)row;
        const float bottom = y + height < (float)row + 1.0F ? y + height : (float)row + 1.0F;
        if (bottom > top) {
            add_stretch(picture, x, x + width, bottom - top);
            put_row(picture, row, first, last, colour);
        }
    }
}

static void line(void *context, float x0, float y0, float x1, float y1, float width,
                 bks_colour colour)
{
    float corners[8];
    if (canvas_line_corners(x0, y0, x1, y1, width, corners)) {
        polygon(context, corners, 4, colour);
    }
}

static void circle(void *context, float x, float y, float radius, bks_colour colour)
{
    if (!isfinite(x) || !isfinite(y) || !(radius > 0.0F) || !isfinite(radius)) {
        return;
    }
    const shape it = {.x = x, .y = y, .radius = radius, .top = y - radius, .bottom = y + radius};
    fill(context, &it, colour);
}

static font_face *find_face(canvas_soft *picture, uint32_t size_px)
{
    for (uint32_t i = 0; i < CANVAS_SOFT_FACES; i++) {
        if (picture->faces[i].size_px == size_px) {
            return &picture->faces[i];
        }
    }
    font_face *face = &picture->faces[picture->next_face];
    picture->next_face = (picture->next_face + 1) % CANVAS_SOFT_FACES;
    return font_face_open(face, size_px) ? face : NULL;
}

static void put_mask(canvas_soft *picture, const font_face *face, const uint8_t *mask, int32_t x0,
                     int32_t y0, bks_colour colour)
{
    for (uint32_t row = 0; row < face->cell_height_px; row++) {
        const int32_t y = y0 + (int32_t)row;
        for (uint32_t column = 0; column < face->cell_width_px; column++) {
            const int32_t x = x0 + (int32_t)column;
            const uint32_t cover = mask[row * face->cell_width_px + column];
            if (cover > 0 && x >= 0 && y >= 0 && x < (int32_t)picture->width &&
                y < (int32_t)picture->height) {
                uint8_t *pixel = picture->rgb + 3 * ((size_t)y * picture->width + (size_t)x);
                blend(pixel, colour, (cover * (colour & 0xFF) + 127) / 255);
            }
        }
    }
}

static void text(void *context, float x, float y, float size, bks_colour colour, const char *words)
{
    canvas_soft *picture = context;
    if (!(fabsf(x) < 1e6F) || !(fabsf(y) < 1e6F)) {
        return;
    }
    const uint32_t size_px = canvas_text_px(size);
    font_face *face = find_face(picture, size_px);
    int32_t pen = (int32_t)floorf(x + 0.5F);
    for (; face != NULL && *words != '\0'; words++) {
        put_mask(picture, face, font_mask(face, font_glyph(*words)), pen, (int32_t)floorf(y + 0.5F),
                 colour);
        pen += (int32_t)font_advance_px(size_px, *words);
    }
}

bks_canvas canvas_soft_canvas(canvas_soft *picture, bool is_coarse)
{
    return (bks_canvas){
        .width = (float)picture->width,
        .height = (float)picture->height,
        .is_coarse = is_coarse,
        .context = picture,
        .clear = clear,
        .rectangle = rectangle,
        .polygon = polygon,
        .line = line,
        .circle = circle,
        .text = text,
        .text_width = canvas_text_width,
    };
}
