// SPDX-License-Identifier: MIT
//
// On Windows the terminal shows no picture: a match uses the window or lines of text.

#include "screen/window/term.h"

#include "base/stop.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

bool term_can_open(void)
{
    return false;
}

term *term_open(void)
{
    return NULL;
}

void term_close(term *screen)
{
}

bks_canvas term_canvas(term *screen)
{
    return (bks_canvas){0};
}

void term_line(term *screen, uint32_t line, const char *text)
{
}

void term_present(term *screen)
{
}

bool term_wants_quit(term *screen, key_list *pressed)
{
    return stop_is_wanted();
}
