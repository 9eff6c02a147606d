// SPDX-License-Identifier: MIT

#include "play/menu_list.h"

#include <stdio.h>
#include <string.h>

#include "screen/window/canvas.h"

static const bks_colour PAPER = 0x10141CFF;
static const bks_colour BAR = 0x2A3550FF;
static const bks_colour INK = 0xE6EAF2FF;
static const bks_colour FAINT = 0x8C96A8FF;
static const bks_colour LIT = 0xFFC66DFF;

enum { ROWS_USUAL = 7 };

// Lengths in a page of the menu, in multiples of the letters' height.
static const float HEAD = 5.6F;  // height of the space above the rows
static const float FOOT = 4.2F;  // height of the space below the rows
static const float PITCH = 1.7F; // distance from one row to the next

static const float TEXT_LEAST = 9.0F; // size of the smallest letters that can be read

// Positions of the parts of a page. They depend on the canvas's size and the number of rows only.
typedef struct layout {
    float left, width; ///< left edge and width of the rows
    float top;         ///< top of the first row that is shown
    float pitch;       ///< distance from one row to the next
    float size;        ///< size of the rows' text
    uint32_t first;    ///< index of the first row that is shown
    uint32_t shown;    ///< number of rows that are shown
    float head;        ///< top of the page's headline
    float foot;        ///< top of the lines of text below the rows
} layout;

static float within(float value, float least, float greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

static layout lay_out(float width, float height, uint32_t rows, uint32_t lit)
{
    // Use smaller letters, down to three quarters of the usual size, if all rows then fit.
    const float usual = height / 26.0F;
    const float fitting = height / (HEAD + FOOT + PITCH * (float)rows);
    layout l = {.size = within(within(fitting, 0.75F * usual, usual), 11.0F, 30.0F)};
    l.pitch = PITCH * l.size;
    l.width = within(26.0F * l.size, 0.0F, width - 2.0F * l.size);
    l.left = (width - l.width) / 2.0F;
    l.foot = height - FOOT * l.size;
    const float least_top = HEAD * l.size;
    const float room = (l.foot - least_top) / l.pitch;
    const uint32_t most = room > 1.0F ? (uint32_t)(room + 0.01F) : 1;
    l.shown = rows < most ? rows : most;
    l.first = lit >= l.shown ? lit - l.shown + 1 : 0;
    // Place the rows as if a page had at least ROWS_USUAL rows, so that the first row is equally
    // high on all short pages.
    const uint32_t most_rows = l.shown > ROWS_USUAL ? l.shown : ROWS_USUAL;
    l.top = least_top + (l.foot - least_top - (float)most_rows * l.pitch) * 0.4F;
    l.top = l.top > least_top ? l.top : least_top;
    l.head = 0.4F * (l.top - 4.4F * l.size);
    l.head = l.head > 0.3F * l.size ? l.head : 0.3F * l.size;
    return l;
}

static float fit(const bks_canvas *canvas, float size, float room, const char *text)
{
    const float needed = canvas->text_width(canvas->context, size, text);
    return needed > room && room > 0.0F ? size * room / needed : size;
}

// Shorten a text that is too wide: first use slightly smaller letters, then cut its middle, because
// names differ at their ends.
// @return the size of the letters
static float shorten(const bks_canvas *canvas, float usual, float room, const char *text,
                     char out[MENU_TEXT_BYTES])
{
    const float fitting = fit(canvas, usual, room, text);
    const float size = fitting > 0.75F * usual ? fitting : 0.75F * usual;
    const size_t length = strlen(text);
    size_t kept = length;
    snprintf(out, MENU_TEXT_BYTES, "%s", text);
    while (kept > 2 &&
           (kept >= MENU_TEXT_BYTES - 2 || canvas->text_width(canvas->context, size, out) > room)) {
        kept--;
        const size_t before = kept / 2;
        snprintf(out, MENU_TEXT_BYTES, "%.*s..%s", (int)before, text,
                 text + length - (kept - before));
    }
    return size;
}

static void draw_centred(const bks_canvas *canvas, float y, float size, uint32_t rows_max,
                         bks_colour colour, const char *text)
{
    const float fitting = fit(canvas, size, canvas->width - size, text);
    const float least = 0.8F * size > TEXT_LEAST ? 0.8F * size : TEXT_LEAST;
    text_block block = {.left = size / 2.0F,
                        .width = canvas->width - size,
                        .size = fitting > least ? fitting : least,
                        .pitch = 1.15F * least,
                        .is_centred = true,
                        .rows_max = rows_max};
    if (rows_max == 1 && fitting < least) {
        block.size = fitting > TEXT_LEAST ? fitting : TEXT_LEAST;
    }
    (void)text_block_draw(&block, canvas, y + (size - block.size) / 2.0F, colour, text);
}

static void draw_row(const menu *m, const bks_canvas *canvas, const layout *l, float y,
                     const menu_row *row, bool is_lit)
{
    const float gap = 0.7F * l->size;
    if (is_lit) {
        canvas->rectangle(canvas->context, l->left, y, l->width, l->pitch - 0.15F * l->size, BAR);
        canvas->rectangle(canvas->context, l->left, y, 0.2F * l->size, l->pitch - 0.15F * l->size,
                          LIT);
    }
    char value[MENU_TEXT_BYTES];
    menu_value(m, row, value);
    const float room = l->width - 2.0F * gap;
    char label[MENU_TEXT_BYTES];
    const float label_size = shorten(canvas, l->size, room, row->label, label);
    const float y_text = y + (l->pitch - l->size) / 2.0F;
    const bks_colour colour = !menu_row_is_live(row) ? FAINT : is_lit ? LIT : INK;
    canvas->text(canvas->context, l->left + gap, y_text + (l->size - label_size) / 2.0F, label_size,
                 colour, label);
    if (value[0] != '\0') {
        char text[MENU_TEXT_BYTES];
        const float left = canvas->text_width(canvas->context, label_size, label) + gap;
        const float size = shorten(canvas, l->size, room - left, value, text);
        const float width = canvas->text_width(canvas->context, size, text);
        canvas->text(canvas->context, l->left + l->width - gap - width,
                     y_text + (l->size - size) / 2.0F, size, is_lit ? LIT : INK, text);
    }
}

static void draw_rows(menu *m, const bks_canvas *canvas, const menu_rows *list, const layout *l)
{
    for (uint32_t i = 0; i < l->shown; i++) {
        const uint32_t row = l->first + i;
        draw_row(m, canvas, l, l->top + (float)i * l->pitch, &list->rows[row],
                 row == m->lit[m->page]);
    }
    if (l->shown < list->count) { // draw a bar that shows which part of the list is visible
        const float height = (float)l->shown * l->pitch;
        const float share = (float)l->shown / (float)list->count;
        canvas->rectangle(canvas->context, l->left + l->width + 0.3F * l->size,
                          l->top + height * (float)l->first / (float)list->count, 0.2F * l->size,
                          height * share, FAINT);
    }
}

static const char *help(const menu_rows *list, const menu *m)
{
    if (m->waits_for_key) {
        return "press the key that shall do it   Escape leaves it as it was";
    }
    switch (list->rows[m->lit[m->page]].kind) {
    case MENU_ROW_NUMBER:
        return "left and right change it, digits too   Escape goes back";
    case MENU_ROW_SWITCH:
        return "left and right change it   Escape goes back";
    case MENU_ROW_KEY:
        return "Enter: another key, right: a second one, backspace: none   Escape goes back";
    default:
        return m->page != MENU_START ? "up and down, Enter takes it   Escape goes back"
               : list->rows[m->lit[m->page]].choice == MENU_QUIT
                   ? "Enter or Escape quits"
                   : "up and down, Enter takes it   Escape twice quits";
    }
}

static void draw_foot(menu *m, const bks_canvas *canvas, const menu_rows *list, const layout *l)
{
    const text_block block = {.left = l->size,
                              .width = canvas->width - 2.0F * l->size,
                              .size = 0.75F * l->size,
                              .pitch = 1.0F * l->size,
                              .is_centred = true,
                              .rows_max = 2};
    if (m->note[0] != '\0') {
        (void)text_block_draw(&block, canvas, l->foot + 0.4F * l->size, LIT, m->note);
    }
    draw_centred(canvas, canvas->height - 1.5F * l->size, 0.75F * l->size, 1, FAINT, help(list, m));
}

void menu_page_draw(menu *m, const char *about, const bks_canvas *canvas)
{
    menu_rows list;
    menu_list(m, &list);
    const layout l = lay_out(canvas->width, canvas->height, list.count, m->lit[m->page]);
    canvas->clear(canvas->context, PAPER);
    draw_centred(canvas, l.head, 2.4F * l.size, 1, LIT, m->facts.game);
    const char *under = m->page == MENU_START ? about : menu_title(m);
    if (under != NULL) {
        draw_centred(canvas, l.head + 3.3F * l.size, 0.85F * l.size, 2, FAINT, under);
    }
    draw_rows(m, canvas, &list, &l);
    draw_foot(m, canvas, &list, &l);
}

uint32_t menu_page_row_at(menu *m, float width, float height, float x, float y)
{
    menu_rows list;
    menu_list(m, &list);
    const layout l = lay_out(width, height, list.count, m->lit[m->page]);
    const float row = (y - l.top) / l.pitch;
    if (x < l.left || x >= l.left + l.width || row < 0.0F || row >= (float)l.shown) {
        return UINT32_MAX;
    }
    return l.first + (uint32_t)row;
}
