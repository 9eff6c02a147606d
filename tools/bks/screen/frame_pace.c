// SPDX-License-Identifier: MIT

#include "screen/frame_pace.h"

#include "base/tool.h"

#define GAP_NS_MAX UINT64_C(150000000) // however slow drawing is

bool frame_pace_begin(frame_pace *pace, uint64_t every_ns)
{
    const uint64_t now = tool_clock_ns(NULL);
    uint64_t gap_ns = pace->cost_ns * 3 / 2;
    gap_ns = gap_ns > GAP_NS_MAX ? GAP_NS_MAX : gap_ns;
    gap_ns = gap_ns > every_ns ? gap_ns : every_ns;
    if (now - pace->shown_ns < gap_ns) {
        return false;
    }
    pace->shown_ns = now;
    return true;
}

void frame_pace_end(frame_pace *pace)
{
    pace->cost_ns = tool_clock_ns(NULL) - pace->shown_ns;
}
