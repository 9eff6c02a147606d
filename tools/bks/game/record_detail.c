// SPDX-License-Identifier: MIT

#include "game/record_detail.h"

#include <string.h>

#include "base/tool.h"

void record_detail_keyframes(int64_t bytes, bks_replay_detail *out)
{
    out->keyframe_ticks = bytes != RECORD_KEYFRAMES_OFF ? BKS_AUTO : 0;
    out->keyframe_bytes = bytes > 0 ? (uint64_t)bytes : 0;
}

int record_detail_read(const char *list, bks_replay_detail *out)
{
    for (const char *at = list; at != NULL;) {
        const size_t length = strcspn(at, ",");
        if (length == strlen("rollbacks") && strncmp(at, "rollbacks", length) == 0) {
            out->rollbacks = true;
        } else if (length == strlen("pages") && strncmp(at, "pages", length) == 0) {
            out->page_hashes = true;
        } else if (length == strlen("marks") && strncmp(at, "marks", length) == 0) {
            out->marks = true;
        } else if (length == strlen("values") && strncmp(at, "values", length) == 0) {
            out->values = true;
        } else {
            tool_complain(
                "--keep",
                "is '%s', expected rollbacks, pages, values, marks, with commas between them",
                list);
            return TOOL_MISUSE;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return TOOL_OK;
}
