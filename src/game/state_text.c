// SPDX-License-Identifier: MIT

#include "game/state_text.h"

#include <stdio.h>
#include <string.h>

/// TEXT_BEFORE, TEXT_SHOWN: most bytes of a text that are shown, before the byte in question and in
/// all. TEXT_MIN: fewest bytes that count as text. CHARACTER_MAX: most bytes of a character.
enum { TEXT_BEFORE = 16, TEXT_SHOWN = 64, TEXT_MIN = 8, CHARACTER_MAX = 4 };

/// Return true for a character that a reader sees as itself: no control character, and none that
/// changes the direction in which text is read.
static bool is_printable(uint32_t character)
{
    const bool is_control = character < 0x20 || (character >= 0x7F && character < 0xA0);
    const bool is_direction = character == 0x061C || character == 0x200E || character == 0x200F ||
                              (character >= 0x2028 && character <= 0x202E) ||
                              (character >= 0x2066 && character <= 0x2069);
    const bool is_none = character == 0xFEFF || (character & 0xFFFE) == 0xFFFE;
    return !is_control && !is_direction && !is_none;
}

/// Return the bytes of the character at an offset: printable UTF-8 (RFC 3629), a tab or a line end.
/// Return 0 if there is none.
static uint32_t character_at(const uint8_t *bytes, uint64_t at, uint64_t end)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t first = bytes[at];
    if (first < 0x80) {
        const bool is_space = first == '\n' || first == '\r' || first == '\t';
        return is_space || is_printable(first) ? 1 : 0;
    }
    const uint32_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || length > end - at) {
        return 0;
    }
    uint32_t character = first & (0x7Fu >> length);
    for (uint32_t i = 1; i < length; i++) {
        if ((bytes[at + i] & 0xC0) != 0x80) {
            return 0;
        }
        character = character << 6 | (bytes[at + i] & 0x3Fu);
    }
    const bool is_right = character >= least[length] && character <= 0x10FFFF &&
                          (character < 0xD800 || character > 0xDFFF);
    return is_right && is_printable(character) ? length : 0;
}

/// Return the begin of the character that ends at an offset, the offset itself if there is none.
static uint64_t character_before(const uint8_t *bytes, uint64_t begin, uint64_t end)
{
    for (uint32_t back = 1; back <= CHARACTER_MAX && back <= end - begin; back++) {
        if (character_at(bytes, end - back, end) == back) {
            return end - back;
        }
    }
    return end;
}

/// Return the begin of the character that a byte is part of, the byte itself if there is none.
static uint64_t character_around(const uint8_t *bytes, bksi_text_span within, uint64_t at)
{
    for (uint32_t back = 0; back < CHARACTER_MAX && back <= at - within.begin; back++) {
        if (character_at(bytes, at - back, within.end) > back) {
            return at - back;
        }
    }
    return at;
}

bool bksi_text_find(const uint8_t *bytes, bksi_text_span within, uint64_t at, bksi_text_span *out)
{
    if (at < within.begin || at > within.end) {
        return false;
    }
    const uint64_t middle = at < within.end ? character_around(bytes, within, at) : at;
    *out = (bksi_text_span){.begin = middle, .end = middle};
    for (uint64_t before = 0; at - out->begin < TEXT_BEFORE; out->begin = before) {
        before = character_before(bytes, within.begin, out->begin);
        if (before == out->begin || at - before > TEXT_BEFORE) {
            break;
        }
    }
    while (out->end < within.end) {
        const uint32_t length = character_at(bytes, out->end, within.end);
        if (length == 0 || out->end + length - out->begin > TEXT_SHOWN) {
            break;
        }
        out->end += length;
    }
    return (out->end > at || at == within.end) && out->end - out->begin >= TEXT_MIN;
}

/// Return the letter behind the backslash of an escaped character, '\0' for one that is not
/// escaped.
static char escape_of(uint8_t byte)
{
    return byte == '\n'                  ? 'n'
           : byte == '\r'                ? 'r'
           : byte == '\t'                ? 't'
           : byte == '"' || byte == '\\' ? (char)byte
                                         : '\0';
}

void bksi_text_print(const uint8_t *bytes, bksi_text_span text, char *out, size_t capacity)
{
    size_t used = 0;
    out[used++] = '"';
    for (uint64_t at = text.begin; at < text.end;) {
        const char escape = escape_of(bytes[at]);
        const uint32_t length = character_at(bytes, at, text.end);
        const uint32_t taken = length > 0 ? length : 1;
        if (used + CHARACTER_MAX + sizeof("\"") > capacity) {
            break;
        }
        if (escape != '\0') {
            out[used++] = '\\';
            out[used++] = escape;
        } else {
            memcpy(out + used, bytes + at, taken);
            used += taken;
        }
        at += taken;
    }
    out[used++] = '"';
    out[used] = '\0';
}
