// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "screen/window/term.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/stop.h"
#include "base/tool.h"
#include "screen/window/canvas_soft.h"

enum {
    CELL_BYTES_MAX = 64, ///< most bytes that draw one cell: a jump, colours, a character
    COLUMNS_MAX = 500,
    ROWS_MAX = 200,
    NO_COLOUR = -1,
};

// A character cell: two dots with colours 0xRRGGBB. NO_COLOUR: not shown yet.
typedef struct cell {
    int32_t upper;
    int32_t lower;
} cell;

struct term {
    uint32_t columns;
    uint32_t rows; ///< rows of the picture, without the lines of text
    canvas_soft picture;
    cell *shown;
    char *out;
    size_t out_bytes;
    char lines[TERM_LINES][TERM_LINE_BYTES];
    char lines_shown[TERM_LINES][TERM_LINE_BYTES];
    bool wants_quit;
};

static struct termios saved_settings;
static bool has_saved_settings;

static const char BEGIN[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char END[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

// Restore the terminal. Also called from a signal handler.
static void give_back(void)
{
    ssize_t written = write(STDOUT_FILENO, END, sizeof(END) - 1);
    (void)written;
    if (has_saved_settings) {
        has_saved_settings = false;
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &saved_settings);
    }
}

bool term_can_open(void)
{
    return tool_has_colour(STDOUT_FILENO);
}

static void append(term *screen, const char *bytes, size_t count)
{
    memcpy(screen->out + screen->out_bytes, bytes, count);
    screen->out_bytes += count;
}

static void forget_shown(term *screen)
{
    const size_t count = (size_t)screen->columns * screen->rows;
    for (size_t i = 0; i < count; i++) {
        screen->shown[i] = (cell){NO_COLOUR, NO_COLOUR};
    }
    memset(screen->lines_shown, 0xFF, sizeof(screen->lines_shown));
}

static uint32_t clamp(uint32_t value, uint32_t least, uint32_t greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

// Adapt the picture to the terminal's size.
static bool fit(term *screen)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
        size.ws_col = 80;
        size.ws_row = 24;
    }
    const uint32_t columns = clamp(size.ws_col, 16, COLUMNS_MAX);
    const uint32_t rows = clamp(size.ws_row, TERM_LINES + 4, ROWS_MAX) - TERM_LINES;
    if (screen->shown != NULL && columns == screen->columns && rows == screen->rows) {
        return true;
    }
    free(screen->shown);
    free(screen->out);
    screen->columns = columns;
    screen->rows = rows;
    screen->shown = malloc((size_t)columns * rows * sizeof(cell));
    screen->out = malloc((size_t)columns * rows * CELL_BYTES_MAX +
                         (size_t)TERM_LINES * (TERM_LINE_BYTES + CELL_BYTES_MAX) + sizeof(BEGIN));
    screen->out_bytes = 0;
    if (screen->shown == NULL || screen->out == NULL ||
        !canvas_soft_resize(&screen->picture, columns, 2 * rows)) {
        return false;
    }
    forget_shown(screen);
    append(screen, "\033[0m\033[2J", 8);
    return true;
}

term *term_open(void)
{
    term *screen = calloc(1, sizeof(*screen));
    if (screen == NULL || !fit(screen)) {
        term_close(screen);
        return NULL;
    }
    if (tcgetattr(STDIN_FILENO, &saved_settings) == 0) {
        has_saved_settings = true;
        struct termios settings = saved_settings;
        settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        settings.c_cc[VMIN] = 0;
        settings.c_cc[VTIME] = 0;
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &settings);
    }
    stop_at_end(give_back);
    tool_log_hold(true);
    append(screen, BEGIN, sizeof(BEGIN) - 1);
    return screen;
}

void term_close(term *screen)
{
    if (screen == NULL) {
        return;
    }
    give_back();
    stop_at_end(NULL);
    tool_log_hold(false);
    canvas_soft_close(&screen->picture);
    free(screen->shown);
    free(screen->out);
    free(screen);
}

bks_canvas term_canvas(term *screen)
{
    (void)fit(screen);
    return canvas_soft_canvas(&screen->picture, true);
}

void term_line(term *screen, uint32_t line, const char *text)
{
    if (line < TERM_LINES) {
        snprintf(screen->lines[line], TERM_LINE_BYTES, "%s", text);
    }
}

static int32_t dot(const term *screen, uint32_t x, uint32_t y)
{
    const uint8_t *rgb = screen->picture.rgb + 3 * ((size_t)y * screen->columns + x);
    return (int32_t)((uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2]);
}

static void append_colour(term *screen, int kind, int32_t colour)
{
    char text[32];
    const int count = snprintf(text, sizeof(text), "\033[%d;2;%d;%d;%dm", kind, colour >> 16 & 0xFF,
                               colour >> 8 & 0xFF, colour & 0xFF);
    append(screen, text, (size_t)count);
}

static void append_jump(term *screen, uint32_t column, uint32_t row)
{
    char text[32];
    const int count = snprintf(text, sizeof(text), "\033[%u;%uH", row + 1, column + 1);
    append(screen, text, (size_t)count);
}

static void append_cells(term *screen)
{
    int32_t ink = NO_COLOUR;
    int32_t paper = NO_COLOUR;
    for (uint32_t row = 0; row < screen->rows; row++) {
        bool follows = false; // true: the terminal's cursor is at this cell
        for (uint32_t column = 0; column < screen->columns; column++) {
            cell *shown = &screen->shown[row * screen->columns + column];
            const cell now = {dot(screen, column, 2 * row), dot(screen, column, 2 * row + 1)};
            if (now.upper == shown->upper && now.lower == shown->lower) {
                follows = false;
                continue;
            }
            *shown = now;
            if (!follows) {
                append_jump(screen, column, row);
            }
            follows = true;
            if (now.lower != paper) {
                append_colour(screen, 48, now.lower);
                paper = now.lower;
            }
            if (now.upper == now.lower) {
                append(screen, " ", 1);
                continue;
            }
            if (now.upper != ink) {
                append_colour(screen, 38, now.upper);
                ink = now.upper;
            }
            append(screen, "\xE2\x96\x80", 3); // the character U+2580, upper half block, in UTF-8
        }
    }
}

// Return the bytes of `text` that fill at most `columns` columns, one for each character.
static size_t cut(const char *text, uint32_t columns)
{
    size_t bytes = 0;
    for (uint32_t column = 0; text[bytes] != '\0';) {
        column += ((unsigned char)text[bytes] & 0xC0) != 0x80;
        if (column > columns) {
            break;
        }
        bytes++;
    }
    return bytes;
}

static void append_lines(term *screen)
{
    static const char *const styles[TERM_LINES] = {"\033[0;1m", "\033[0m", "\033[0;2m"};
    for (uint32_t i = 0; i < TERM_LINES; i++) {
        if (strcmp(screen->lines[i], screen->lines_shown[i]) == 0) {
            continue;
        }
        memcpy(screen->lines_shown[i], screen->lines[i], TERM_LINE_BYTES);
        append_jump(screen, 0, screen->rows + i);
        append(screen, styles[i], strlen(styles[i]));
        append(screen, " ", 1);
        append(screen, screen->lines[i], cut(screen->lines[i], screen->columns - 1));
        append(screen, "\033[K", 3);
    }
    append(screen, "\033[0m", 4);
}

static void write_out(term *screen)
{
    size_t written = 0;
    while (written < screen->out_bytes) {
        const ssize_t count =
            write(STDOUT_FILENO, screen->out + written, screen->out_bytes - written);
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
            break;
        }
        written += count > 0 ? (size_t)count : 0;
    }
    screen->out_bytes = 0;
}

void term_present(term *screen)
{
    struct pollfd terminal = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (screen->out == NULL || screen->shown == NULL || screen->picture.rgb == NULL ||
        poll(&terminal, 1, 0) <= 0) {
        return;
    }
    append_cells(screen);
    append_lines(screen);
    write_out(screen);
}

bool term_wants_quit(term *screen, key_list *pressed)
{
    char bytes[KEYS_MAX];
    struct pollfd keyboard = {.fd = STDIN_FILENO, .events = POLLIN};
    while (isatty(STDIN_FILENO) && poll(&keyboard, 1, 0) > 0) {
        const ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));
        if (count <= 0) {
            break;
        }
        key_list found = {0};
        keys_read(&found, bytes, (size_t)count);
        for (uint32_t i = 0; i < found.count; i++) {
            const uint8_t code = found.codes[i];
            if (code == 'q' || code == KEY_INTERRUPT || code == KEY_ESCAPE) {
                screen->wants_quit = true;
            } else if (pressed != NULL) {
                keys_add(pressed, code);
            }
        }
    }
    return screen->wants_quit || stop_is_wanted();
}
