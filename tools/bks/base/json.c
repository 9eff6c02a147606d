// SPDX-License-Identifier: MIT

#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/tool.h"

// Return the bytes of the UTF-8 sequence at `text`, 0 if it is not valid (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF).
static uint32_t utf8_length(const unsigned char *text)
{
    const unsigned char first = text[0];
    if (first < 0x80) {
        return 1;
    }
    const uint32_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4) {
        return 0;
    }
    for (uint32_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool is_bad = (first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) ||
                        (first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F);
    return is_bad ? 0 : length;
}

static void quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        const uint32_t length = utf8_length(at);
        if (length == 0) {
            fputs("\\ufffd", out);
            at++;
        } else if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at++);
        } else if (*at == '\n') {
            fputs("\\n", out);
            at++;
        } else if (*at < 0x20 || *at == 0x7F) {
            fprintf(out, "\\u%04x", *at++);
        } else {
            fwrite(at, 1, length, out);
            at += length;
        }
    }
    fputc('"', out);
}

// Write the comma, line break and key that precede a value.
static void lead(json *j, const char *key)
{
    const uint32_t level = j->depth - 1;
    if (j->has_items[level]) {
        fputc(',', j->out);
    }
    if (!j->is_one_line[level]) {
        fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
    } else if (j->has_items[level]) {
        fputc(' ', j->out);
    }
    j->has_items[level] = true;
    if (key != NULL && !j->is_array[level]) {
        quote(j->out, key);
        fputs(": ", j->out);
    }
    tool_note_output(); // keep errno of the first failed write: later writes may not set it
}

static void open_level(json *j, bool is_array, bool is_one_line)
{
    if (j->depth < JSON_DEPTH_MAX) {
        fputc(is_array ? '[' : '{', j->out);
        j->has_items[j->depth] = false;
        j->is_array[j->depth] = is_array;
        j->is_one_line[j->depth] = is_one_line;
        j->depth++;
    }
}

void json_begin(json *j, FILE *out)
{
    memset(j, 0, sizeof(*j));
    j->out = out;
    open_level(j, false, false);
}

bool json_end(json *j)
{
    while (j->depth > 0) {
        json_close(j);
    }
    fputc('\n', j->out);
    const bool is_flushed = fflush(j->out) == 0 && !ferror(j->out);
    tool_note_output();
    return is_flushed;
}

void json_object(json *j, const char *key)
{
    lead(j, key);
    open_level(j, false, false);
}

void json_array(json *j, const char *key)
{
    lead(j, key);
    open_level(j, true, false);
}

void json_row(json *j, const char *key)
{
    lead(j, key);
    open_level(j, true, true);
}

void json_close(json *j)
{
    if (j->depth == 0) {
        return;
    }
    j->depth--;
    if (j->has_items[j->depth] && !j->is_one_line[j->depth]) {
        fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
    }
    fputc(j->is_array[j->depth] ? ']' : '}', j->out);
}

void json_int(json *j, const char *key, int64_t value)
{
    lead(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void json_uint(json *j, const char *key, uint64_t value)
{
    lead(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void json_number(json *j, const char *key, double value, int decimals)
{
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    lead(j, key);
    char text[400];
    snprintf(text, sizeof(text), "%.*f", decimals, value);
    // The decimal separator is a comma if a plug-in has set such a locale.
    char *point = strpbrk(text, ".,");
    if (point != NULL) {
        *point = '.';
        char *last = text + strlen(text) - 1;
        while (last > point + 1 && *last == '0') {
            *last-- = '\0';
        }
    }
    fputs(text, j->out);
}

void json_bool(json *j, const char *key, bool value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_text(json *j, const char *key, const char *value)
{
    if (value == NULL) {
        json_null(j, key);
        return;
    }
    lead(j, key);
    quote(j->out, value);
}

void json_nonempty(json *j, const char *key, const char *value)
{
    json_text(j, key, value[0] != '\0' ? value : NULL);
}

void json_hash(json *j, const char *key, uint64_t value)
{
    lead(j, key);
    fprintf(j->out, "\"%016" PRIx64 "\"", value);
}

void json_null(json *j, const char *key)
{
    lead(j, key);
    fputs("null", j->out);
}

void json_hash_if(json *j, const char *key, bool is_known, uint64_t value)
{
    if (is_known) {
        json_hash(j, key, value);
    } else {
        json_null(j, key);
    }
}

void json_tick(json *j, const char *key, bks_tick tick)
{
    if (tick == BKS_TICK_NONE) {
        json_null(j, key);
    } else {
        json_int(j, key, tick);
    }
}
