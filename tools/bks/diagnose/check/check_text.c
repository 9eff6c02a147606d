// SPDX-License-Identifier: MIT

#include "diagnose/check/check_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

// Lines that are being filled.
typedef struct lines {
    FILE *out;
    int columns;
    int indent;
    int column;         // where the last line ends
    bool is_begun;      // it has a word
    const char *broken; // stands at the end of a line that is not the last
} lines;

// Columns of UTF-8.
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

void check_text_command(FILE *out, int columns, const char *label, const char *const *words,
                        uint32_t count)
{
    lines l = {.out = out,
               .columns = columns,
               .indent = CHECK_TEXT_INDENT,
               .column = CHECK_TEXT_INDENT,
               .broken = " \\"};
    write_label(out, label);
    for (uint32_t i = 0; i < count; i++) {
        static char text[16384]; // an option stays beside its value
        size_t length = shell_word_quote(words[i], text, sizeof(text) - 1);
        if (strncmp(words[i], "--", 2) == 0 && i + 1 < count) {
            text[length++] = ' ';
            length += shell_word_quote(words[++i], text + length, sizeof(text) - length);
        }
        put(&l, text, length);
    }
    fputc('\n', out);
}
