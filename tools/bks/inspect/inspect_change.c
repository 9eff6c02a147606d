// SPDX-License-Identifier: MIT

#include "inspect/inspect_change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/tool.h"

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool inspect_read_token(const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES])
{
    if (strlen(text) != (size_t)2 * BKS_INSPECT_TOKEN_BYTES) {
        return false;
    }
    for (size_t i = 0; i < BKS_INSPECT_TOKEN_BYTES; i++) {
        const int high = digit_of(text[2 * i]);
        const int low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(16 * high + low);
    }
    return true;
}

static bool read_number(const char *text, int64_t most, uint32_t *out)
{
    int64_t value = 0;
    if (!args_number(text, &value) || value < 0 || value > most) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool read_pace(const char *text, uint32_t *out)
{
    static const char *const names[] = {"slew", "stall", "none"};
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool read_link(const char *text, bks_inspect_request *request)
{
    const size_t length = strlen(text);
    if (length >= sizeof(request->link)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] < 0x20 || text[i] > 0x7E) {
            return false;
        }
    }
    memcpy(request->link, text, length + 1);
    return true;
}

bool inspect_read_change(const char *text, bks_inspect_request *request, const char **why)
{
    static const struct {
        const char *name;
        const char *why;
    } kinds[] = {
        [BKS_INSPECT_WINDOW] = {"window=", "expected window=N"},
        [BKS_INSPECT_DELAY] = {"delay=", "expected delay=auto or delay=N, 0..255"},
        [BKS_INSPECT_PACE] = {"pace=", "expected pace=slew, pace=stall or pace=none"},
        [BKS_INSPECT_LINK] = {"link=", "expected link=SPEC, such as link=delay=50ms,loss=2%, or "
                                       "link=perfect"},
    };
    for (uint32_t i = 0; i <= BKS_INSPECT_LINK; i++) {
        const size_t length = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, length) != 0) {
            continue;
        }
        const char *value = text + length;
        request->change = (bks_inspect_change)i;
        *why = kinds[i].why;
        switch (request->change) {
        case BKS_INSPECT_WINDOW:
            return read_number(value, UINT32_MAX, &request->value); // the match has its range
        case BKS_INSPECT_DELAY:
            request->value = BKS_AUTO;
            return strcmp(value, "auto") == 0 || read_number(value, BKS_DELAY_MAX, &request->value);
        case BKS_INSPECT_PACE:
            return read_pace(value, &request->value);
        case BKS_INSPECT_LINK:
            return read_link(value, request);
        }
    }
    *why = "expected window=N, delay=N, pace=NAME or link=SPEC";
    return false;
}

void inspect_range_text(const bks_inspect_request *request, const bks_inspect_summary *summary,
                        char *out, size_t capacity)
{
    switch (request->change) {
    case BKS_INSPECT_WINDOW:
        snprintf(out, capacity, "refused: window is %" PRIu32 ", this match takes %d..%" PRIu32,
                 request->value, summary->window_max > 0 ? 1 : 0, summary->window_max);
        break;
    case BKS_INSPECT_DELAY:
        snprintf(out, capacity, "refused: this match takes a delay of 0..%d or auto",
                 BKS_DELAY_MAX);
        break;
    case BKS_INSPECT_PACE:
        snprintf(out, capacity, "refused: this match takes a pace of slew, stall or none");
        break;
    case BKS_INSPECT_LINK:
        snprintf(out, capacity,
                 "refused: the program cannot read the link, expected such as "
                 "delay=50ms,loss=2%%, or perfect");
        break;
    }
}

const char *inspect_status_text(bks_inspect_status status)
{
    switch (status) {
    case BKS_INSPECT_OK:
        return "changed";
    case BKS_INSPECT_NOT_ALLOWED:
        return "not allowed: the token is missing or wrong, or the program gave out none";
    case BKS_INSPECT_OUT_OF_RANGE:
        return "refused: the value is out of the range that the match can take";
    case BKS_INSPECT_NOT_THERE:
        break;
    }
    return "refused: the program has no emulated link";
}

// ---- where the token comes from ----

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

static int take_token(const char *from, const char *text, uint8_t out[BKS_INSPECT_TOKEN_BYTES])
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
        return kept != NULL ? take_token(variable, kept, out) : TOOL_OK;
    }
    if (given[0] != '@') {
        const int status = take_token("--token", given, out);
        if (status == TOOL_OK) {
            tool_complain("--token", "other users of this machine can read it in the list of "
                                     "processes: give @FILE, or set BKS_INSPECT_TOKEN");
        }
        return status;
    }
    char line[LINE_BYTES] = "";
    const int status = read_line(given + 1, line);
    line[strcspn(line, "\r\n")] = '\0';
    return status == TOOL_OK ? take_token(given + 1, line, out) : status;
}
