// SPDX-License-Identifier: MIT

#include "diagnose/check/check_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void add(check_arguments *out, const char *name, const char *value)
{
    if (value != NULL) {
        out->items[out->count++] = name;
        out->items[out->count++] = value;
    }
}

void check_arguments_write(const check_options *options, int64_t seed, int64_t ticks,
                           const char *variants, check_arguments *out)
{
    const args_list *given = &options->given_options;
    TEXT_SET(out->seed, "%" PRId64, seed);
    TEXT_SET(out->ticks, "%" PRId64, ticks);
    TEXT_SET(out->players, "%" PRId64, options->players);
    out->count = 0;
    add(out, "bks", "check");
    out->items[out->count++] = options->game;
    add(out, "--seed", out->seed);
    add(out, "--ticks", out->ticks);
    add(out, "--variants", variants);
    add(out, "--input", strcmp(options->input, "monkey") == 0 ? NULL : options->input);
    add(out, "--players", options->players > 0 ? out->players : NULL);
    for (uint32_t i = 0; i < given->count; i++) {
        add(out, "--option", given->items[i]);
    }
    out->items[out->count] = NULL;
}

void check_arguments_record(const check_options *options, uint32_t players, int64_t ticks,
                            check_arguments *out)
{
    const args_list *given = &options->given_options;
    TEXT_SET(out->seed, "%" PRId64, options->seed);
    TEXT_SET(out->ticks, "%" PRId64, ticks);
    TEXT_SET(out->players, "%" PRIu32, players);
    TEXT_SET(out->input, "*=%s", options->input);
    out->count = 0;
    add(out, "bks", "lab");
    out->items[out->count++] = options->game;
    add(out, "--peers", "1");
    add(out, "--players-per-peer", out->players);
    add(out, "--seed", out->seed);
    add(out, "--ticks", out->ticks);
    add(out, "--input", strcmp(options->input, "monkey") == 0 ? NULL : out->input);
    for (uint32_t i = 0; i < given->count; i++) {
        add(out, "--option", given->items[i]);
    }
    add(out, "--record", "bks-crash");
    out->items[out->count] = NULL;
}

void check_arguments_join(const check_arguments *arguments, char *out, size_t capacity)
{
    size_t used = 0;
    for (uint32_t i = 0; i < arguments->count && used + 2 < capacity; i++) {
        if (i > 0) {
            out[used++] = ' ';
        }
        used += shell_word_quote(arguments->items[i], out + used, capacity - used - 1);
    }
    out[used] = '\0';
}

// ---- wrapped text on a terminal ----

// Text being wrapped into lines.
typedef struct lines {
    FILE *out;
    int columns;
    int indent;
    int column;         // column at which the text on the current line ends
    bool is_begun;      // true if the current line has a word
    const char *broken; // text at the end of each broken line, such as a backslash
} lines;

// Return the width of a UTF-8 text in columns.
static int width_of(const char *text, size_t length)
{
    int width = 0;
    for (size_t i = 0; i < length; i++) {
        width += ((unsigned char)text[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    return width;
}

static void put(lines *l, const char *text, size_t length)
{
    const int width = width_of(text, length);
    if (l->is_begun && l->column + 1 + width > l->columns - (int)strlen(l->broken)) {
        fprintf(l->out, "%s\n%*s", l->broken, l->indent, "");
        l->column = l->indent;
    } else if (l->is_begun) {
        fputc(' ', l->out);
        l->column++;
    }
    fprintf(l->out, "%.*s", (int)length, text);
    l->column += width;
    l->is_begun = true;
}

void check_text_wrap(FILE *out, int columns, int column, int indent, const char *text)
{
    static const char blank[] = " \t\n";
    lines l = {.out = out, .columns = columns, .indent = indent, .column = column, .broken = ""};
    for (const char *word = text + strspn(text, blank); *word != '\0';) {
        const size_t length = strcspn(word, blank);
        put(&l, word, length);
        word += length + strspn(word + length, blank);
    }
    fputc('\n', out);
}

static void write_label(FILE *out, const char *label)
{
    fprintf(out, "  %-*s ", CHECK_TEXT_INDENT - 3, label);
}

void check_text_write(FILE *out, int columns, const char *label, const char *text)
{
    write_label(out, label);
    check_text_wrap(out, columns, CHECK_TEXT_INDENT, CHECK_TEXT_INDENT, text);
}

void check_text_command(FILE *out, int columns, const char *label, const char *const *arguments,
                        uint32_t count)
{
    lines l = {.out = out,
               .columns = columns,
               .indent = CHECK_TEXT_INDENT,
               .column = CHECK_TEXT_INDENT,
               .broken = " \\"};
    write_label(out, label);
    for (uint32_t i = 0; i < count; i++) {
        // Text of an option together with its value, so that both stay on one line.
        static char text[16384];
        size_t length = shell_word_quote(arguments[i], text, sizeof(text) - 1);
        if (strncmp(arguments[i], "--", 2) == 0 && i + 1 < count) {
            text[length++] = ' ';
            length += shell_word_quote(arguments[++i], text + length, sizeof(text) - length);
        }
        put(&l, text, length);
    }
    fputc('\n', out);
}
