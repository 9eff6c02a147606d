// SPDX-License-Identifier: MIT

#include "base/said.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINES_MAX = 64, LINE_BYTES = 512 };

static struct {
    uint32_t count;
    char lines[LINES_MAX][LINE_BYTES];
} said;

bool said_before(const char *text)
{
    char line[LINE_BYTES];
    (void)snprintf(line, sizeof(line), "%s", text);
    for (uint32_t i = 0; i < LINES_MAX && i < said.count; i++) {
        if (strcmp(said.lines[i], line) == 0) {
            return true;
        }
    }
    memcpy(said.lines[said.count++ % LINES_MAX], line, sizeof(line));
    return false;
}
