// SPDX-License-Identifier: MIT

#include "screen/overlay/scrubber.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "screen/window/canvas.h"

static const bks_colour PAPER = 0x0A0D14FF;
static const bks_colour TROUGH = 0x232B39FF;
static const bks_colour DONE = 0x3F6FB5FF;
static const bks_colour GUESSED = 0xA88438FF;
static const bks_colour LOST = 0xA83245FF;
static const bks_colour INK = 0xE6EAF2FF;
static const bks_colour FAINT = 0x8C96A8FF;
static const bks_colour LIT = 0xFFC66DFF;
static const bks_colour WRONG = 0xFF4D5EFF;

/// COARSE_DOTS: height of the scrubber on a coarse canvas, in dots. LEGEND_MAX: most entries of the
/// legend. NARROW: width in heights of text below which the description of the keys takes several
/// lines. KEYS_ROWS_MAX: most of these lines.
enum { COARSE_DOTS = 3, LEGEND_MAX = 9, NARROW = 88, KEYS_ROWS_MAX = 5, TEXT_BYTES = 512 };

static const float TEXT_MIN = 9.0F; // smallest text that can be read, in dots

typedef struct legend_word {
    const char *text;
    bks_colour colour;
} legend_word;

// Positions of the scrubber's parts on a canvas.
typedef struct places {
    float text; ///< height of a line of the scrubber's text, 0: there is no text
    float top;
    float left;
    float width;
    float bar_top;
    float bar_height;
    uint32_t keys_rows; ///< number of lines for the keys under the bar
} places;

static places place(float width, float height, bool is_coarse)
{
    if (is_coarse) {
        return (places){.top = height - COARSE_DOTS,
                        .width = width,
                        .bar_top = height - COARSE_DOTS + 1,
                        .bar_height = COARSE_DOTS - 1};
    }
    float text = height / 44.0F;
    text = text < 13.0F ? 13.0F : text > 30.0F ? 30.0F : text;
    const float edge = text * 0.6F;
    uint32_t keys_rows = 1 + (width > 0.0F ? (uint32_t)(NARROW * text / width) : KEYS_ROWS_MAX);
    keys_rows = keys_rows < KEYS_ROWS_MAX ? keys_rows : KEYS_ROWS_MAX;
    const float all = (2.0F + (float)keys_rows) * text + 4.0F * edge;
    return (places){.text = text,
                    .keys_rows = keys_rows,
                    .top = height - all,
                    .left = edge,
                    .width = width - 2.0F * edge,
                    .bar_top = height - all + edge * 2.0F + text,
                    .bar_height = text};
}

float scrubber_height(const bks_canvas *canvas)
{
    return canvas->height - place(canvas->width, canvas->height, canvas->is_coarse).top;
}

static float x_of(const scrubber *line, const places *at, bks_tick tick)
{
    const bks_tick length = line->end > line->first ? line->end - line->first : 1;
    float share = (float)(tick - line->first) / (float)length;
    share = share < 0.0F ? 0.0F : share > 1.0F ? 1.0F : share;
    return at->left + at->width * share;
}

static void fill(const scrubber *line, const places *at, const bks_canvas *canvas, bks_tick from,
                 bks_tick until, float least, bks_colour colour)
{
    const float left = x_of(line, at, from);
    const float right = x_of(line, at, until);
    canvas->rectangle(canvas->context, left, at->bar_top,
                      right - left > least ? right - left : least, at->bar_height, colour);
}

static void mark(const scrubber *line, const places *at, const bks_canvas *canvas, bks_tick tick,
                 bks_colour colour)
{
    const float width = at->text > 0.0F ? 2.0F : 1.0F;
    const float over = at->text * 0.25F;
    canvas->rectangle(canvas->context, x_of(line, at, tick) - width / 2.0F, at->bar_top - over,
                      width, at->bar_height + 2.0F * over, colour);
}

static bks_colour event_colour(bks_replay_event_kind kind)
{
    switch (kind) {
    case BKS_REPLAY_JOINED:
        return 0x6FD08CFF;
    case BKS_REPLAY_LEFT:
        return 0xFF9A4DFF;
    case BKS_REPLAY_DELAY:
        return 0xB48CFFFF;
    case BKS_REPLAY_DESYNC:
        return WRONG;
    case BKS_REPLAY_NOTE:
        return LIT;
    case BKS_REPLAY_CLOSED:
        return 0xFF9A4DFF;
    }
    return FAINT;
}

// Draw a notch under the bar at each keyframe, because playing can begin there.
static void draw_keyframes(const scrubber *line, const places *at, const bks_canvas *canvas)
{
    const bks_recording *info = bks_replay_info(line->replay);
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(line->replay, i, &key) == BKS_OK && key.is_usable &&
            !key.is_wrong) {
            canvas->rectangle(canvas->context, x_of(line, at, key.tick) - 0.5F,
                              at->bar_top + at->bar_height, 1.0F, at->text * 0.25F, FAINT);
        }
    }
}

static void draw_marks(const scrubber *line, const places *at, const bks_canvas *canvas)
{
    const bks_recording *info = bks_replay_info(line->replay);
    if (info->confirmed < info->ticks) {
        fill(line, at, canvas, info->confirmed, info->ticks, 1.0F, GUESSED);
    }
    for (uint32_t i = 0; i < info->lost_count; i++) {
        bks_replay_lost lost;
        if (bks_replay_lost_at(line->replay, i, &lost) == BKS_OK && lost.ticks > 0) {
            fill(line, at, canvas, lost.first, lost.first + lost.ticks, 1.0F, LOST);
        }
    }
    if (!canvas->is_coarse) {
        draw_keyframes(line, at, canvas);
    }
    for (uint32_t i = 0; i < info->event_count; i++) {
        bks_replay_event event;
        if (bks_replay_event_at(line->replay, i, &event) == BKS_OK) {
            mark(line, at, canvas, event.tick, event_colour(event.kind));
        }
    }
    if (line->first_different != BKS_TICK_NONE) {
        mark(line, at, canvas, line->first_different, WRONG);
    }
}

// Return the size at which a text fits into the width `room`, but at least the smallest readable
// size. Reduce the size again and again, because letters have whole dots, so a size in proportion
// to the width may still be too large.
static float fit_text(const bks_canvas *canvas, float size, float room, const char *text)
{
    float width = canvas->text_width(canvas->context, size, text);
    while (width > room && size > TEXT_MIN) {
        const float share = size * room / width;
        size = share < size - 0.5F ? share : size - 0.5F;
        size = size > TEXT_MIN ? size : TEXT_MIN;
        width = canvas->text_width(canvas->context, size, text);
    }
    return size;
}

// Shrink a text until it fits. If it is too wide at the smallest size, cut its end and add dots.
// @return the size of the text
static float make_fit(const bks_canvas *canvas, float size, float room, char text[TEXT_BYTES])
{
    size = fit_text(canvas, size, room, text);
    size_t length = strlen(text);
    while (length > 0 && canvas->text_width(canvas->context, size, text) > room) {
        length--;
        snprintf(text + length, TEXT_BYTES - length, "%s", length + 3 < TEXT_BYTES ? "..." : "");
    }
    return size;
}

// List the kinds of marks on the bar, with the colour of each.
// @return the number of kinds
static uint32_t find_legend(const scrubber *line, legend_word words[LEGEND_MAX])
{
    const bks_recording *info = bks_replay_info(line->replay);
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < info->event_count; i++) {
        bks_replay_event event;
        if (bks_replay_event_at(line->replay, i, &event) == BKS_OK) {
            kinds |= 1U << event.kind;
        }
    }
    uint32_t count = 0;
    for (uint32_t kind = BKS_REPLAY_JOINED; kind <= BKS_REPLAY_CLOSED; kind++) {
        if ((kinds & 1U << kind) != 0) {
            words[count++] = (legend_word){bks_replay_event_kind_name((bks_replay_event_kind)kind),
                                           event_colour((bks_replay_event_kind)kind)};
        }
    }
    if (info->keyframes > 0) {
        words[count++] = (legend_word){"keyframe", FAINT};
    }
    if (info->confirmed < info->ticks) {
        words[count++] = (legend_word){"guessed", GUESSED};
    }
    if (info->lost_count > 0) {
        words[count++] = (legend_word){"lost", LOST};
    }
    return count;
}

// Draw the legend at the right, if it fits as a whole.
static void draw_legend(const scrubber *line, const places *at, const bks_canvas *canvas, float y,
                        float room)
{
    legend_word words[LEGEND_MAX];
    const uint32_t count = find_legend(line, words);
    const float size = at->text * 0.85F;
    const float gap = size * 0.8F;
    float width = -gap;
    for (uint32_t i = 0; i < count; i++) {
        width += canvas->text_width(canvas->context, size, words[i].text) + gap;
    }
    float x = at->left + at->width - width;
    for (uint32_t i = 0; i < count && width <= room; i++) {
        canvas->text(canvas->context, x, y, size, words[i].colour, words[i].text);
        x += canvas->text_width(canvas->context, size, words[i].text) + gap;
    }
}

static void draw_keys(const scrubber *line, const places *at, const bks_canvas *canvas, float y)
{
    const float used = canvas->text_width(canvas->context, at->text, line->keys);
    if (used <= at->width) {
        canvas->text(canvas->context, at->left, y, at->text, FAINT, line->keys);
        draw_legend(line, at, canvas, y, at->width - used - at->text);
        return;
    }
    const text_block block = {.left = at->left,
                              .width = at->width,
                              .size = at->text * (at->keys_rows > 2 ? 0.77F : 0.9F),
                              .pitch = at->text,
                              .rows_max = at->keys_rows};
    (void)text_block_draw(&block, canvas, y, FAINT, line->keys);
}

static void draw_text(const scrubber *line, const places *at, const bks_canvas *canvas)
{
    const float y = at->top + at->text * 0.6F;
    char text[TEXT_BYTES];
    snprintf(text, sizeof(text), "%s", line->status);
    const float size = make_fit(canvas, at->text, at->width, text);
    canvas->text(canvas->context, at->left, y, size, INK, text);
    const float used = canvas->text_width(canvas->context, size, text) + 2.0F * at->text;
    if (line->remark != NULL && used < at->width * 0.9F) {
        snprintf(text, sizeof(text), "%s", line->remark);
        const float small = make_fit(canvas, at->text, at->width - used, text);
        const float width = canvas->text_width(canvas->context, small, text);
        canvas->text(canvas->context, at->left + at->width - width, y, small, LIT, text);
    }
    draw_keys(line, at, canvas, at->bar_top + at->bar_height + at->text * 0.6F);
}

void scrubber_draw(const scrubber *line, const bks_canvas *canvas)
{
    const places at = place(canvas->width, canvas->height, canvas->is_coarse);
    canvas->rectangle(canvas->context, 0.0F, at.top, canvas->width, canvas->height - at.top, PAPER);
    fill(line, &at, canvas, line->first, line->end, 0.0F, TROUGH);
    fill(line, &at, canvas, line->first, line->here, 0.0F, DONE);
    draw_marks(line, &at, canvas);
    mark(line, &at, canvas, line->here, INK);
    if (!canvas->is_coarse) {
        draw_text(line, &at, canvas);
    }
}

bks_tick scrubber_at(const scrubber *line, float width, float height, float x, float y,
                     bool is_grabbed)
{
    const places at = place(width, height, false);
    const float over = at.text * 0.5F;
    if (!is_grabbed && (y < at.bar_top - over || y > at.bar_top + at.bar_height + over)) {
        return BKS_TICK_NONE;
    }
    float share = at.width > 0.0F ? (x - at.left) / at.width : 0.0F;
    share = share < 0.0F ? 0.0F : share > 1.0F ? 1.0F : share;
    return line->first + (bks_tick)((double)share * (double)(line->end - line->first) + 0.5);
}
