// SPDX-License-Identifier: MIT

#include "screen/player/frame_loop.h"

#include <stddef.h>

#define WAIT_NS UINT64_C(20000000) // a window answers at least this often

// What drawing costs is also what presenting does, where that is no wait.
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
