// SPDX-License-Identifier: MIT

#include "base/shell_word.h"

#include <string.h>

#ifdef _WIN32
#define QUOTE     '"' // what cmd knows, and PowerShell, too
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
