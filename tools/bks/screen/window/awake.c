// SPDX-License-Identifier: MIT

#include "screen/window/awake.h"

void awake_rouse(awake *a, uint64_t now_ns)
{
    a->until_ns = now_ns + AWAKE_NS;
}

void awake_look(awake *a, const window_wishes *wishes, awake_signs signs, uint64_t now_ns)
{
    const bool has_moved =
        a->has_mouse && (wishes->mouse_x != a->mouse_x || wishes->mouse_y != a->mouse_y);
    const bool has_key = wishes->place != 0 || wishes->pressed.count > 0;
    a->has_mouse = true;
    a->mouse_x = wishes->mouse_x;
    a->mouse_y = wishes->mouse_y;
    if (wishes->overlay || key_place_is_function(wishes->place) || (signs.keys && has_key) ||
        (signs.mouse && (has_moved || wishes->is_held))) {
        awake_rouse(a, now_ns);
    }
}

bool awake_is(const awake *a, uint64_t now_ns)
{
    return now_ns < a->until_ns;
}
