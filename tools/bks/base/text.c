// SPDX-License-Identifier: MIT

#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(bks_error *error, bks_status code, uint64_t offset_bytes, const char *format,
                 va_list values)
{
    *error = (bks_error){.code = code, .offset_bytes = offset_bytes};
    (void)vsnprintf(error->text, sizeof(error->text), format, values);
}

bks_status fail_with(bks_error *error, bks_status code, const char *format, ...)
{
    if (error != NULL) {
        va_list values;
        va_start(values, format);
        fill(error, code, 0, format, values);
        va_end(values);
    }
    return code;
}

bks_status fail_at(bks_error *error, bks_status code, uint64_t offset_bytes, const char *format,
                   ...)
{
    if (error == NULL) {
        return code;
    }
    va_list values;
    va_start(values, format);
    fill(error, code, offset_bytes, format, values);
    va_end(values);
    // Cut a long sentence rather than the offset, which is more useful.
    char place[40];
    (void)snprintf(place, sizeof(place), " at byte %" PRIu64, offset_bytes);
    const size_t room = sizeof(error->text) - 1 - strlen(place);
    const size_t length = strlen(error->text) < room ? strlen(error->text) : room;
    memcpy(error->text + length, place, strlen(place) + 1);
    return code;
}

// Return true for a control character of ASCII, or the second byte of one in UTF-8.
static bool is_control(const char *at, const char *begin)
{
    const unsigned char byte = (unsigned char)at[0];
    const bool is_second =
        at > begin && (unsigned char)at[-1] == 0xC2 && byte >= 0x80 && byte < 0xA0;
    return byte < 0x20 || byte == 0x7F || is_second;
}

const char *plain_text(const char *text, const char *kept, char *room, size_t capacity)
{
    bool is_plain = true;
    size_t used = 0;
    for (const char *at = text; *at != '\0'; at++) {
        const bool is_hidden = is_control(at, text) && strchr(kept, *at) == NULL;
        const size_t needed = is_hidden ? 4 : 1;
        is_plain &= !is_hidden;
        if (used + needed >= capacity) {
            // Search on for control characters: if there are none, `text` itself is returned.
            continue;
        }
        (void)snprintf(room + used, capacity - used, is_hidden ? "\\x%02x" : "%c",
                       (unsigned)(unsigned char)*at);
        used += needed;
    }
    room[used] = '\0';
    return is_plain ? text : room;
}

const char *plain_name(const char *name)
{
    static _Thread_local char room[4096];
    return plain_text(name, "", room, sizeof(room));
}

#ifdef _WIN32
#define QUOTE     '"' // quotes that both cmd and PowerShell accept
#define QUOTED    "\\\""
#define SEPARATOR "\\"
#else
#define QUOTE     '\''
#define QUOTED    "'\\''"
#define SEPARATOR ""
#endif

static size_t put(const char *text, char *out, size_t capacity)
{
    const size_t length = strlen(text);
    const size_t count = length < capacity ? length : capacity;
    memcpy(out, text, count);
    return count;
}

size_t shell_word_quote(const char *word, char *out, size_t capacity)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:+=@%," SEPARATOR;
    static const char quote[] = {QUOTE, '\0'};
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        return put(word, out, capacity);
    }
    size_t used = put(quote, out, capacity);
    for (; *word != '\0'; word++) {
        const char one[2] = {*word, '\0'};
        used += put(*word == QUOTE ? QUOTED : one, out + used, capacity - used);
    }
    return used + put(quote, out + used, capacity - used);
}

void text_add(char *text, size_t capacity, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text + used, capacity - used, format, values);
    va_end(values);
}
