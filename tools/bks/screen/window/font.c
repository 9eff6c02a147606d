// SPDX-License-Identifier: MIT

#include "screen/window/font.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/present.h"

enum {
    COLUMNS = BKS_TEXT_COLUMNS,
    ROWS = BKS_TEXT_ROWS,
    LINE_ROWS = 10,    ///< rows of dots in a line of text, with the gap to the next line
    SPACE_COLUMNS = 3, ///< width of a space, in dots
    SIZE_MAX_PX = 512,
    DOTS_BELOW_PX = 15, ///< size below which text is drawn as dots
};

// A glyph of the library's letters, as dots.
typedef struct dots {
    bool on[ROWS][COLUMNS];
    int first; ///< column of the leftmost dot
    int width; ///< columns from the leftmost dot to the rightmost one
} dots;

static bool is_digit(uint32_t glyph)
{
    return glyph >= '0' - ' ' && glyph <= '9' - ' ';
}

static void read_dots(uint32_t glyph, dots *out)
{
    int first = COLUMNS;
    int last = -1;
    uint8_t rows[ROWS];
    bks_text_dots((char)(' ' + glyph), rows);
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            const bool is_on = (rows[row] >> (COLUMNS - 1 - column) & 1) != 0;
            out->on[row][column] = is_on;
            first = is_on && column < first ? column : first;
            last = is_on && column > last ? column : last;
        }
    }
    if (last < 0 || is_digit(glyph)) { // all digits have the same width
        first = 0;
        last = is_digit(glyph) ? COLUMNS - 1 : SPACE_COLUMNS - 1;
    }
    out->first = first;
    out->width = last - first + 1;
}

static uint32_t clamp_size(uint32_t size_px)
{
    return size_px < 1 ? 1 : size_px > SIZE_MAX_PX ? SIZE_MAX_PX : size_px;
}

// Return the distance from dot to dot in pixels.
static float pitch_px(uint32_t size_px)
{
    return size_px < DOTS_BELOW_PX ? 1.0F : (float)size_px / LINE_ROWS;
}

uint32_t font_glyph(char character)
{
    return character >= ' ' && character <= '~' ? (uint32_t)(character - ' ') : '?' - ' ';
}

uint32_t font_advance_px(uint32_t size_px, char character)
{
    dots glyph;
    read_dots(font_glyph(character), &glyph);
    const float pitch = pitch_px(clamp_size(size_px));
    // Leave a wider gap if the letters have strokes, because strokes are wider than dots.
    const float gap = pitch > 1.0F ? 1.35F : 1.0F;
    return (uint32_t)(((float)glyph.width + gap) * pitch + 0.5F);
}

uint32_t font_width_px(uint32_t size_px, const char *text)
{
    uint32_t width = 0;
    for (; *text != '\0'; text++) {
        width += font_advance_px(size_px, *text);
    }
    return width;
}

bool font_face_open(font_face *face, uint32_t size_px)
{
    font_face_close(face);
    face->size_px = clamp_size(size_px);
    const float pitch = pitch_px(face->size_px);
    face->cell_width_px = (uint32_t)ceilf((COLUMNS + 1.5F) * pitch);
    face->cell_height_px = (uint32_t)ceilf((LINE_ROWS + 0.5F) * pitch);
    face->masks = calloc(FONT_GLYPHS, (size_t)face->cell_width_px * face->cell_height_px);
    if (face->masks == NULL) {
        *face = (font_face){0};
        return false;
    }
    return true;
}

void font_face_close(font_face *face)
{
    free(face->masks);
    *face = (font_face){0};
}

// Return the distance from a point to the stroke between two points.
static float stroke_distance(float x, float y, const float stroke[4])
{
    const float dx = stroke[2] - stroke[0];
    const float dy = stroke[3] - stroke[1];
    const float length2 = dx * dx + dy * dy;
    float along = 0.0F;
    if (length2 > 0.0F) {
        along = ((x - stroke[0]) * dx + (y - stroke[1]) * dy) / length2;
        along = along < 0.0F ? 0.0F : along > 1.0F ? 1.0F : along;
    }
    return hypotf(x - stroke[0] - along * dx, y - stroke[1] - along * dy);
}

static bool is_on(const dots *glyph, int row, int column)
{
    return row >= 0 && row < ROWS && column >= 0 && column < COLUMNS && glyph->on[row][column];
}

// Find the strokes of a glyph: from each dot to its neighbours at the right and below, and to a
// diagonal neighbour if no dot connects the two.
static uint32_t find_strokes(const dots *glyph, float pitch, float (*strokes)[4])
{
    static const int directions[5][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, -1}};
    uint32_t count = 0;
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            for (int i = 0; i < 5 && is_on(glyph, row, column); i++) {
                const int to_row = row + directions[i][0];
                const int to_column = column + directions[i][1];
                const bool is_aslant = i >= 3;
                if (!is_on(glyph, to_row, to_column) ||
                    (is_aslant && (is_on(glyph, row, to_column) || is_on(glyph, to_row, column)))) {
                    continue;
                }
                strokes[count][0] = ((float)(column - glyph->first) + 0.7F) * pitch;
                strokes[count][1] = ((float)row + 0.9F) * pitch;
                strokes[count][2] = ((float)(to_column - glyph->first) + 0.7F) * pitch;
                strokes[count][3] = ((float)to_row + 0.9F) * pitch;
                count++;
            }
        }
    }
    return count;
}

static void draw_strokes(const font_face *face, const dots *glyph, uint8_t *mask)
{
    float strokes[ROWS * COLUMNS * 5][4];
    const float pitch = pitch_px(face->size_px);
    const uint32_t count = find_strokes(glyph, pitch, strokes);
    const float radius = 0.56F * pitch;
    for (uint32_t y = 0; y < face->cell_height_px; y++) {
        for (uint32_t x = 0; x < face->cell_width_px; x++) {
            float nearest = 1e9F;
            for (uint32_t i = 0; i < count; i++) {
                const float distance =
                    stroke_distance((float)x + 0.5F, (float)y + 0.5F, strokes[i]);
                nearest = distance < nearest ? distance : nearest;
            }
            float cover = radius - nearest + 0.5F;
            cover = cover < 0.0F ? 0.0F : cover > 1.0F ? 1.0F : cover;
            mask[y * face->cell_width_px + x] = (uint8_t)(cover * 255.0F + 0.5F);
        }
    }
}

static void draw_dots(const font_face *face, const dots *glyph, uint8_t *mask)
{
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            if (glyph->on[row][column]) {
                mask[(uint32_t)row * face->cell_width_px + (uint32_t)(column - glyph->first)] = 255;
            }
        }
    }
}

const uint8_t *font_mask(font_face *face, uint32_t glyph)
{
    glyph = glyph < FONT_GLYPHS ? glyph : '?' - ' ';
    uint8_t *mask = face->masks + (size_t)glyph * face->cell_width_px * face->cell_height_px;
    if (!face->is_made[glyph]) {
        dots found;
        read_dots(glyph, &found);
        if (face->size_px < DOTS_BELOW_PX) {
            draw_dots(face, &found, mask);
        } else {
            draw_strokes(face, &found, mask);
        }
        face->is_made[glyph] = true;
    }
    return mask;
}
