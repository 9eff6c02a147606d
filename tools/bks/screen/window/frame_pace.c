// SPDX-License-Identifier: MIT

#include "screen/window/frame_pace.h"

#include <stddef.h>

// Longest time between two pictures, however slow drawing is.
#define GAP_NS_MAX UINT64_C(150000000)

// Longest time of one turn of the loop, so that the window reacts.
#define WAIT_NS UINT64_C(20000000)

#define USUAL_HZ 60u // assumed rate of a screen that does not report one

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
    // Count the next due time from the last one, so that the rhythm stays even. But if a picture
    // was left out, count it from now.
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
    // Presenting may report that it waited although it did not. So the next picture is due half a
    // screen period later at the earliest.
    pace->due_ns = now_ns + (lead_ns < every_ns / 2 ? every_ns - lead_ns : every_ns / 2);
    pace->due_ns = later(pace->due_ns, least_ns);
}

// ---- a loop of steps and pictures ----

// Present the picture. Count the time that this takes as drawing time, unless presenting waited for
// the screen.
static void show(const frame_loop *loop, uint64_t now_ns)
{
    void *context = loop->context;
    loop->draw(context, now_ns);
    const uint64_t drawn_ns = loop->now(context);
    const bool has_waited = loop->present(context);
    const uint64_t shown_ns = loop->now(context);
    frame_pace_parts(loop->pace, drawn_ns, shown_ns);
    frame_pace_end(loop->pace, has_waited ? drawn_ns : shown_ns);
    if (has_waited) {
        frame_pace_shown(loop->pace, shown_ns, loop->every_ns);
    }
}

static bool has_picture(const frame_loop *loop)
{
    return loop->has_picture == NULL || loop->has_picture(loop->context);
}

void frame_loop_show(const frame_loop *loop)
{
    const uint64_t now_ns = loop->now(loop->context);
    if (has_picture(loop) && frame_pace_begin(loop->pace, now_ns, loop->every_ns)) {
        show(loop, now_ns);
    }
}

bool frame_loop_turn(const frame_loop *loop)
{
    void *context = loop->context;
    const uint64_t limit_ns = loop->now(context) + WAIT_NS;
    const bool is_picture_next = has_picture(loop) && loop->pace->due_ns < limit_ns;
    loop->wait(context, is_picture_next ? loop->pace->due_ns : limit_ns);
    if (!loop->sample(context) || !loop->step(context)) {
        return false;
    }
    frame_loop_show(loop);
    return true;
}
