// SPDX-License-Identifier: MIT

/// @file term.h
/// A picture in the terminal: two dots to a character cell by the half block, 24-bit colour, only
/// what changed is sent. Lines of text stand under it. The terminal is brought back as it was when
/// the program ends, however it ends.

#ifndef BKS_TOOL_TERM_H
#define BKS_TOOL_TERM_H

#include "backstitch/plugin.h"
#include "screen/window/keys.h"

/// Lines of text under the picture.
enum { TERM_LINES = 3, TERM_LINE_BYTES = 400 };

/// The terminal as a screen. Opaque.
typedef struct term term;

/// Return true if stdout is a terminal that can show pictures.
bool term_can_open(void);

/// Take over the terminal: other screen, no cursor, keys come at once.
/// @return NULL when memory ran out
/// Owned by the caller; release with term_close().
term *term_open(void);

/// Give the terminal back. NULL is allowed.
void term_close(term *screen);

/// The canvas to draw the next frame on. It follows the terminal's size.
bks_canvas term_canvas(term *screen);

/// Set a line under the picture.
/// @param line  0..TERM_LINES-1
/// @param text  UTF-8 without control characters; what is too long is cut
void term_line(term *screen, uint32_t line, const char *text);

/// Show the frame, unless the terminal is still busy with an earlier one.
void term_present(term *screen);

/// Read the keys that were pressed.
/// @param pressed  receives the keys besides those that quit, NULL: they are dropped
/// @return whether q, Escape or Ctrl-C was among them
bool term_wants_quit(term *screen, key_list *pressed);

#endif
