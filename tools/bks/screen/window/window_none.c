// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/tool.h"
#include "screen/window/window.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

bool window_can_open(void)
{
    return false;
}

window *window_open(const char *title, int width, int height, bool is_synced,
                    const user_settings *settings)
{
    tool_complain(title, "this build has no window, install libsdl2-dev and rebuild it");
    return NULL;
}

void window_close(window *w)
{
}

window_wishes window_poll(window *w)
{
    return (window_wishes){0};
}

void window_controls(window *w, uint32_t seat, uint32_t seats, float values[WINDOW_CONTROLS])
{
    memset(values, 0, WINDOW_CONTROLS * sizeof(*values));
}

void window_set_keys(window *w, const key_map *keys)
{
}

void window_set_aim(window *w, bool can_aim)
{
}

const char *window_key_label(window *w, key_place key)
{
    return "none";
}

window_seat window_seat_of(window *w, uint32_t seat, uint32_t seats)
{
    return (window_seat){.hand = KEY_HANDS};
}

void window_ask_key(window *w, bool is_asked)
{
}

void window_set_full_screen(window *w, bool is_full)
{
}

bool window_is_full_screen(window *w)
{
    return false;
}

bks_canvas window_canvas(window *w)
{
    return (bks_canvas){0};
}

void window_present(window *w)
{
}

bool window_copy(window *w, const char *text)
{
    return false;
}

bool window_is_closed(const window *w)
{
    return false;
}

void window_paste(window *w, char *out, size_t capacity)
{
    out[0] = '\0';
}

window_screen window_screen_of(window *w)
{
    return (window_screen){0};
}
