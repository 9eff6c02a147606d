// SPDX-License-Identifier: MIT

#include "inspect/inspect_token.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "inspect/inspect_change.h"

static const char variable[] = "BKS_INSPECT_TOKEN";

/// One more than a token has, so that a longer text is seen to be none.
enum { LINE_BYTES = 2 * BKS_INSPECT_TOKEN_BYTES + 4 };

static int read_line(const char *path, char out[LINE_BYTES])
{
    FILE *file = fopen(path, "r");
    const bool is_read = file != NULL && fgets(out, LINE_BYTES, file) != NULL;
    const bool is_empty = file != NULL && !is_read && ferror(file) == 0;
    if (!is_read) {
        tool_complain(path, "%s", is_empty ? "is empty, expected a token" : strerror(errno));
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_read ? TOOL_OK : TOOL_DAMAGED;
}

static int take(const char *from, const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES])
{
    if (inspect_read_token(text, out)) {
        return TOOL_OK;
    }
    tool_complain(from, "is no token, expected %d digits of 0-9 and a-f",
                  2 * BKS_INSPECT_TOKEN_BYTES);
    return TOOL_MISUSE;
}

int inspect_token_find(const char *given, bool *is_there, uint8_t out[BKS_INSPECT_TOKEN_BYTES])
{
    const char *kept = getenv(variable);
    *is_there = given != NULL || kept != NULL;
    if (given == NULL) {
        return kept != NULL ? take(variable, kept, out) : TOOL_OK;
    }
    if (given[0] != '@') {
        const int status = take("--token", given, out);
        if (status == TOOL_OK) {
            tool_complain("--token", "other users of this machine can read it in the list of "
                                     "processes: give @FILE, or set BKS_INSPECT_TOKEN");
        }
        return status;
    }
    char line[LINE_BYTES] = "";
    const int status = read_line(given + 1, line);
    line[strcspn(line, "\r\n")] = '\0';
    return status == TOOL_OK ? take(given + 1, line, out) : status;
}
