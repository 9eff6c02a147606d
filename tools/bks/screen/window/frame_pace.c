// SPDX-License-Identifier: MIT

#include "screen/window/frame_pace.h"

#define GAP_NS_MAX UINT64_C(150000000) // however slow drawing is

#define USUAL_HZ 60u // of a screen that does not say

uint64_t frame_pace_of_screen(uint32_t given_hz, uint32_t screen_hz)
{
    const uint32_t usual_hz = screen_hz > 0 ? screen_hz : USUAL_HZ;
    return UINT64_C(1000000000) / (given_hz > 0 ? given_hz : usual_hz);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

bool frame_pace_begin(frame_pace *pace, uint64_t now_ns, uint64_t every_ns)
{
    if (now_ns < pace->due_ns) {
        return false;
    }
    // Evenly, as long as none is left out.
    const bool is_even = pace->due_ns + every_ns > now_ns;
    pace->due_ns = (is_even ? pace->due_ns : now_ns) + every_ns;
    pace->begun_ns = now_ns;
    return true;
}

void frame_pace_end(frame_pace *pace, uint64_t now_ns)
{
    pace->cost_ns = now_ns - pace->begun_ns;
    const uint64_t gap_ns = pace->cost_ns * 3 / 2;
    pace->due_ns =
        later(pace->due_ns, pace->begun_ns + (gap_ns < GAP_NS_MAX ? gap_ns : GAP_NS_MAX));
}

void frame_pace_parts(frame_pace *pace, uint64_t drawn_ns, uint64_t shown_ns)
{
    pace->draw_ns = drawn_ns - pace->begun_ns;
    pace->show_ns = shown_ns - drawn_ns;
}

void frame_pace_shown(frame_pace *pace, uint64_t now_ns, uint64_t every_ns)
{
    const uint64_t lead_ns = pace->cost_ns * 2 + FRAME_MARGIN_NS;
    const uint64_t least_ns = pace->begun_ns + pace->cost_ns * 3 / 2;
    // A presenting that did not wait is found by what it took: a picture is never due sooner than
    // half of what the screen takes for one.
    pace->due_ns = now_ns + (lead_ns < every_ns / 2 ? every_ns - lead_ns : every_ns / 2);
    pace->due_ns = later(pace->due_ns, least_ns);
}
