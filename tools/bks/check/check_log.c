// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    const char *begin = more != NULL ? memrchr(line, ';', (size_t)(more - line)) : NULL;
    return begin != NULL ? (uint32_t)strtoul(begin + 1, NULL, 10) : 0;
}

void check_log_read(int descriptor, check_log *out)
{
    char text[32768];
    const ssize_t read = pread(descriptor, text, sizeof(text) - 1, 0);
    text[read > 0 ? read : 0] = '\0';
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
