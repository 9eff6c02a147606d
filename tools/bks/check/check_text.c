// SPDX-License-Identifier: MIT

#include "check/check_text.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 12 };

void check_text_add(char *out, size_t capacity, const char *label, const char *text)
{
    size_t used = strlen(out);
    used += (size_t)snprintf(out + used, capacity - used, "  %-9s", label);
    size_t column = INDENT - 1;
    for (const char *word = text; *word != '\0' && used < capacity;) {
        const size_t length = strcspn(word, " ");
        if (column >= INDENT && column + 1 + length > WIDTH) {
            used += (size_t)snprintf(out + used, capacity - used, "\n%*s", INDENT - 1, "");
            column = INDENT - 1;
            if (used >= capacity) {
                return;
            }
        }
        used += (size_t)snprintf(out + used, capacity - used, " %.*s", (int)length, word);
        column += 1 + length;
        word += length + strspn(word + length, " ");
    }
    if (used < capacity) {
        (void)snprintf(out + used, capacity - used, "\n");
    }
}
