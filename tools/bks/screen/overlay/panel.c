// SPDX-License-Identifier: MIT

#include "screen/overlay/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bks_colour BACK = 0x0A0D14E0;
static const bks_colour WELL = 0x1C2330FF;
static const bks_colour INK = 0xE6EAF2FF;
static const bks_colour FAINT = 0x9AA4B6FF;
static const bks_colour LIT = 0xFFC66DFF;
static const bks_colour FILL = 0x2F5688FF;
static const bks_colour RANGE = 0x5B9BE6FF;
static const bks_colour MEAN = 0xD6EAFFFF;

// Lengths in a panel, as multiples of the height of text.
static const float WIDTH = 30.0F; ///< width of a panel
static const float PITCH = 1.35F; ///< distance from one row of a panel to the next
static const float EDGE = 0.6F;   ///< space around the rows of a panel, and around panels
static const float NAME_ROOM = 7.3F;
static const float PAIR_AT = 7.6F;      ///< left end of the text of panel_pair()
static const float VALUE_UNTIL = 13.5F; ///< right end of a figure's mean
static const float RANGE_AT = 14.0F;
static const float GRAPH_AT = 20.0F;
static const float BAR_AT = 22.6F;

/// Left ends of the texts in a row of panel_part().
static const float PART_AT[PANEL_PART_TEXTS] = {8.8F, 15.6F, 19.0F};

panel_flow panel_flow_begin(const bks_canvas *canvas, float top, float height, float size,
                            bool is_drawn)
{
    return (panel_flow){.canvas = canvas,
                        .size = size,
                        .height = height,
                        .x = EDGE * size,
                        .top = top + EDGE * size,
                        .y = top + EDGE * size,
                        .is_drawn = is_drawn,
                        .fits = true};
}

static float height_of(const panel *p)
{
    return ((float)p->rows * PITCH + 2.0F * EDGE) * p->flow->size;
}

// Place a measured panel in the present column, or at the top of the next one if it does not fit.
static void place(panel_flow *flow, panel *p)
{
    const float size = flow->size;
    const float height = height_of(p);
    if (flow->y + height + EDGE * size > flow->height && flow->y > flow->top + EDGE * size) {
        flow->x += (WIDTH + EDGE) * size;
        flow->y = flow->top;
    }
    const bool has_room = flow->y + height + EDGE * size <= flow->height &&
                          flow->x + (WIDTH + EDGE) * size <= flow->canvas->width;
    flow->fits &= has_room;
    p->is_hidden = !flow->is_drawn || !has_room;
    if (!p->is_hidden) {
        flow->canvas->rectangle(flow->canvas->context, flow->x, flow->y, WIDTH * size, height,
                                BACK);
    }
}

bool panel_next(panel_flow *flow, panel *p)
{
    if (flow->turn == 0) {
        *p = (panel){.flow = flow, .is_hidden = true};
        flow->turn = 1;
        return true;
    }
    if (flow->turn == 1) {
        place(flow, p);
        p->rows = 0;
        flow->turn = 2;
        return true;
    }
    flow->turn = 0;
    flow->y += height_of(p) + EDGE * flow->size;
    return false;
}

// Add a row and return its top.
static float next_row(panel *p)
{
    const float size = p->flow->size;
    return p->flow->y + (EDGE + (float)p->rows++ * PITCH + (PITCH - 1.0F) / 2.0F) * size;
}

static float left(const panel *p)
{
    return p->flow->x + EDGE * p->flow->size;
}

static float width_of(const panel *p, const char *text)
{
    return p->flow->canvas->text_width(p->flow->canvas->context, p->flow->size, text);
}

// Draw a text, cut if it does not fit.
static void text_at(const panel *p, float x, float y, float room, bks_colour colour,
                    const char *text)
{
    char cut[256];
    snprintf(cut, sizeof(cut), "%s", text);
    for (size_t length = strlen(cut); length > 0 && width_of(p, cut) > room;) {
        cut[--length] = '\0';
    }
    p->flow->canvas->text(p->flow->canvas->context, x, y, p->flow->size, colour, cut);
}

static void whole_row(panel *p, bks_colour colour, const char *text)
{
    const float y = next_row(p);
    if (!p->is_hidden) {
        text_at(p, left(p), y, (WIDTH - 2.0F * EDGE) * p->flow->size, colour, text);
    }
}

void panel_title(panel *p, const char *text)
{
    whole_row(p, LIT, text);
}

void panel_line(panel *p, const char *text)
{
    whole_row(p, INK, text);
}

void panel_pair(panel *p, const char *name, const char *text, bool is_lit)
{
    const float y = next_row(p);
    if (!p->is_hidden) {
        const float size = p->flow->size;
        const float room = WIDTH - 2.0F * EDGE - PAIR_AT;
        text_at(p, left(p), y, NAME_ROOM * size, is_lit ? LIT : FAINT, name);
        text_at(p, left(p) + PAIR_AT * size, y, room * size, is_lit ? LIT : INK, text);
    }
}

// ---- rows of figures ----

static void bounds_of(const bks_figure *figure, float *bottom, float *top)
{
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *point = &figure->history[i];
        if (point->weight > 0.0F) {
            *bottom = point->least < *bottom ? point->least : *bottom;
            *top = point->most > *top ? point->most : *top;
        }
    }
}

// Draw the graph of a figure. Each point is a bar from the least to the greatest value, with the
// mean in a bright colour. If the figure can be negative, zero lies in the middle of the graph's
// height.
static void draw_graph(const panel *p, float y, const bks_figure *figure, float least)
{
    const bks_canvas *canvas = p->flow->canvas;
    const float size = p->flow->size;
    const float room = (WIDTH - 2.0F * EDGE - GRAPH_AT) * size;
    const float whole = floorf(room / BKS_FIGURE_POINTS);
    const float column =
        whole > 1.0F ? whole : 1.0F; // use whole pixels, because fractions would make stripes
    const float width = column * BKS_FIGURE_POINTS;
    const float x = floorf(left(p) + GRAPH_AT * size + room - width);
    const float height = size * 1.15F;
    const float thin = size / 12.0F > 1.0F ? size / 12.0F : 1.0F;
    float bottom = 0.0F;
    float top = least;
    bounds_of(figure, &bottom, &top);
    if (bottom < 0.0F) {
        top = top > -bottom ? top : -bottom;
        bottom = -top;
    }
    canvas->rectangle(canvas->context, x, y, width, height, WELL);
    const float pixels = (height - thin) / (top - bottom);
    const float zero = y + height - thin + bottom * pixels;
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i++) {
        const bks_figure_point *point = &figure->history[i];
        if (point->weight <= 0.0F) {
            continue;
        }
        const float at = x + (float)i * column;
        const float low = zero + thin - point->least * pixels;
        const float high = zero - point->most * pixels;
        const float mean = zero - point->mean * pixels;
        canvas->rectangle(canvas->context, at, mean < zero ? mean : zero, column,
                          fabsf(zero - mean), FILL);
        canvas->rectangle(canvas->context, at, high, column, low - high, RANGE);
        canvas->rectangle(canvas->context, at, mean, column, thin, MEAN);
    }
}

void panel_figure(panel *p, const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms)
{
    const float y = next_row(p);
    if (p->is_hidden) {
        return;
    }
    const float size = p->flow->size;
    figure_text text;
    char value[64];
    figure_write(row, figure, window_ms, &text);
    const bool has_value = strcmp(text.mean, "-") != 0;
    snprintf(value, sizeof(value), has_value ? "%s %s" : "%s", text.mean, row->unit);
    const float wanted = width_of(p, value);
    const float room = (VALUE_UNTIL - NAME_ROOM) * size;
    const float width = wanted < room ? wanted : room;
    text_at(p, left(p), y, NAME_ROOM * size, FAINT, row->name);
    text_at(p, left(p) + VALUE_UNTIL * size - width, y, width, INK, value);
    text_at(p, left(p) + RANGE_AT * size, y, (GRAPH_AT - RANGE_AT - 0.2F) * size, FAINT,
            text.range);
    draw_graph(p, y - 0.08F * size, figure, row->graph_top);
}

// ---- rows of parts ----

// Return the right end of a text in a row of panel_part(): the start of the next text that is not
// empty.
static float part_text_until(const char *const *texts, uint32_t index)
{
    for (uint32_t i = index + 1; i < PANEL_PART_TEXTS; i++) {
        if (texts[i][0] != '\0') {
            return PART_AT[i];
        }
    }
    return BAR_AT;
}

void panel_part(panel *p, uint32_t depth, const char *name, const char *const *texts,
                const panel_bar *bar)
{
    const float y = next_row(p);
    if (p->is_hidden) {
        return;
    }
    const bks_canvas *canvas = p->flow->canvas;
    const float size = p->flow->size;
    const float indent = 1.1F * size * (float)depth;
    for (uint32_t i = 0; i < depth; i++) {
        canvas->rectangle(canvas->context, left(p) + (1.1F * (float)i + 0.3F) * size,
                          y - 0.15F * size, size / 12.0F > 1.0F ? size / 12.0F : 1.0F, PITCH * size,
                          FAINT);
    }
    text_at(p, left(p) + indent, y, (PART_AT[0] - 0.4F) * size - indent, INK, name);
    for (uint32_t i = 0; i < PANEL_PART_TEXTS; i++) {
        const float until = part_text_until(texts, i);
        text_at(p, left(p) + PART_AT[i] * size, y, (until - PART_AT[i] - 0.3F) * size, FAINT,
                texts[i]);
    }
    if (bar != NULL) {
        const float x = left(p) + BAR_AT * size;
        const float width = (WIDTH - 2.0F * EDGE - BAR_AT) * size;
        const float line = 0.15F * size;
        canvas->rectangle(canvas->context, x, y, width, size, WELL);
        canvas->rectangle(canvas->context, x, y, width * bar->share, size, FILL);
        canvas->rectangle(canvas->context, x + (width - line) * bar->mark, y, line, size, MEAN);
    }
}

void panel_part_title(panel *p, const char *text, const char *const *heads)
{
    const float y = next_row(p);
    if (!p->is_hidden) {
        const float size = p->flow->size;
        text_at(p, left(p), y, (PART_AT[1] - 0.3F) * size, LIT, text);
        for (uint32_t i = 1; i < PANEL_PART_TEXTS; i++) {
            text_at(p, left(p) + PART_AT[i] * size, y, 4.0F * size, FAINT, heads[i]);
        }
    }
}
