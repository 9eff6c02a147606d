// SPDX-License-Identifier: MIT

#include "game/match_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"

int silence_read(const silence_limits *limits, uint32_t *notify_after_ms, uint32_t *drop_after_ms)
{
    if (limits->notify_ms != SILENCE_NOT_GIVEN) {
        *notify_after_ms = (uint32_t)limits->notify_ms;
    }
    if (limits->drop_ms != SILENCE_NOT_GIVEN) {
        *drop_after_ms = (uint32_t)limits->drop_ms;
    }
    if (*drop_after_ms < *notify_after_ms) {
        tool_complain("--drop-after",
                      "is %" PRIu32 " ms, expected at least the %" PRIu32 " of --notify-after",
                      *drop_after_ms, *notify_after_ms);
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

void record_detail_keyframes(int64_t bytes, bks_replay_detail *out)
{
    out->keyframe_ticks = bytes != RECORD_KEYFRAMES_OFF ? BKS_AUTO : 0;
    out->keyframe_bytes = bytes > 0 ? (uint64_t)bytes : 0;
}

// Read the number of a tick.
// @return the text after the number, NULL: there is no number
static const char *read_tick(const char *at, bks_tick *out)
{
    char *end = NULL;
    const long long tick = strtoll(at, &end, 10);
    *out = (bks_tick)tick;
    return at[0] >= '0' && at[0] <= '9' && tick < INT32_MAX ? end : NULL;
}

// Read "marks", or "marks@A..B" for the ticks A to B, both included.
// @return false: the word has neither form
static bool read_marks(const char *at, size_t length, bks_replay_detail *out)
{
    static const char word[] = "marks";
    const size_t word_length = sizeof(word) - 1;
    if (strncmp(at, word, word_length) != 0) {
        return false;
    }
    out->marks = true;
    if (length == word_length) {
        return true;
    }
    bks_tick last = 0;
    const char *behind =
        at[word_length] == '@' ? read_tick(at + word_length + 1, &out->marks_from) : NULL;
    const bool has_dots = behind != NULL && strncmp(behind, "..", 2) == 0;
    behind = has_dots ? read_tick(behind + 2, &last) : NULL;
    if (behind != at + length || last < out->marks_from) {
        return false;
    }
    out->marks_until = last + 1;
    return true;
}

int record_detail_read(const char *list, bks_replay_detail *out)
{
    for (const char *at = list; at != NULL;) {
        const size_t length = strcspn(at, ",");
        if (length == strlen("rollbacks") && strncmp(at, "rollbacks", length) == 0) {
            out->rollbacks = true;
        } else if (length == strlen("pages") && strncmp(at, "pages", length) == 0) {
            out->page_hashes = true;
        } else if (read_marks(at, length, out)) {
            // Nothing is left to do: read_marks() has set `marks` and its ticks in `out`.
        } else if (length == strlen("values") && strncmp(at, "values", length) == 0) {
            out->values = true;
        } else {
            tool_complain("--keep",
                          "is '%s', expected rollbacks, pages, values, marks or marks@TICK..TICK, "
                          "with commas between them",
                          list);
            return TOOL_MISUSE;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return TOOL_OK;
}
