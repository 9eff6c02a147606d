// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// By the library in the plug-in, or by that in this program.
static bool is_logged(const char *line)
{
    static const char *const begins[] = {"backstitch: warning: ", "backstitch: error: ", "bks: "};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        if (strncmp(line, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

// Of one kind the library writes ten lines at once, and later how many it left out.
static uint32_t left_out(const char *line)
{
    const char *more = strstr(line, " more of these were left out)");
    const char *begin = more;
    while (begin != NULL && begin > line && *begin != ';') {
        begin--;
    }
    return begin != NULL && *begin == ';' ? (uint32_t)strtoul(begin + 1, NULL, 10) : 0;
}

void check_log_read(const child *process, check_log *out)
{
    char text[32768];
    (void)child_peek(process, text, sizeof(text));
    *out = (check_log){0};
    for (char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n' ? 1 : 0);
        line[length] = '\0';
        if (is_logged(line)) {
            if (out->count < CHECK_LOG_LINES) {
                (void)snprintf(out->lines[out->count], CHECK_LOG_BYTES, "%.*s", CHECK_LOG_BYTES - 1,
                               line);
            }
            out->count += 1 + left_out(line);
        }
        line = next;
    }
}
