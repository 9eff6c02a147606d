// SPDX-License-Identifier: MIT

/// @file term.h Shows a picture in the terminal, in 24-bit colour. Each character cell shows two
/// dots, by the character of an upper half block. Only changes are sent. Lines of text stand under
/// the picture. The terminal is restored when the program ends, also after a crash.

#ifndef BKS_TOOL_TERM_H
#define BKS_TOOL_TERM_H

#include "backstitch/plugin.h"
#include "screen/window/keys.h"

/// TERM_LINES: number of lines of text under the picture. TERM_LINE_BYTES: most bytes of one line.
enum { TERM_LINES = 3, TERM_LINE_BYTES = 400 };

/// Output of pictures to the terminal. Opaque.
typedef struct term term;

/// Return true if stdout is a terminal that can show pictures.
bool term_can_open(void);

/// Take over the terminal: switch to the alternate screen, hide the cursor, and read keys without
/// waiting.
/// @return NULL if memory ran out
/// Owned by the caller; release with term_close().
term *term_open(void);

/// Restore the terminal. NULL is allowed.
void term_close(term *screen);

/// Return the canvas of the next picture. It follows the terminal's size.
bks_canvas term_canvas(term *screen);

/// Set a line under the picture.
/// @param line  0..TERM_LINES-1
/// @param text  UTF-8 without control characters, cut if it is too long
void term_line(term *screen, uint32_t line, const char *text);

/// Show the picture, unless the terminal is still busy with an earlier one.
void term_present(term *screen);

/// Read the keys that were pressed.
/// @param pressed  receives the keys that do not quit; NULL drops them
/// @return true if q, Escape or Ctrl-C was pressed
bool term_wants_quit(term *screen, key_list *pressed);

#endif
