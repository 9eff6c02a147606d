// SPDX-License-Identifier: MIT

#include "game/silence.h"

#include <inttypes.h>

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
