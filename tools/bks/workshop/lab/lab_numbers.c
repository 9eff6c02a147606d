// SPDX-License-Identifier: MIT

#include "workshop/lab/lab_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/tool.h"

static bool read_one(const lab_number_kind *kind, const char *text, size_t length, uint32_t *out)
{
    char number[16] = "";
    int64_t value = 0;
    if (length >= sizeof(number)) {
        return false;
    }
    memcpy(number, text, length);
    if (kind->word != NULL && strcmp(number, kind->word) == 0) {
        *out = kind->word_value;
        return true;
    }
    const bool is_right =
        args_number(number, &value) && value >= kind->least && value <= kind->greatest;
    *out = is_right ? (uint32_t)value : 0;
    return is_right;
}

int lab_numbers_read(const lab_number_kind *kind, const char *text, lab_numbers *out)
{
    *out = (lab_numbers){0};
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (out->count == BKS_PEERS_MAX || !read_one(kind, at, length, &out->values[out->count])) {
            tool_complain(kind->option,
                          "is '%s', expected one number from %" PRId64 " to %" PRId64
                          "%s%s, or one for each peer with commas between",
                          text, kind->least, kind->greatest, kind->word != NULL ? " or " : "",
                          kind->word != NULL ? kind->word : "");
            return TOOL_MISUSE;
        }
        out->count++;
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    for (uint32_t i = 1; out->count == 1 && i < BKS_PEERS_MAX; i++) {
        out->values[i] = out->values[0];
    }
    return ARGS_GO;
}

int lab_numbers_fit(const lab_number_kind *kind, const lab_numbers *numbers, uint32_t peers)
{
    if (numbers->count > 1 && numbers->count != peers) {
        tool_complain(kind->option,
                      "has %" PRIu32 " numbers, expected one for each of %" PRIu32 " peers",
                      numbers->count, peers);
        return TOOL_MISUSE;
    }
    return ARGS_GO;
}
