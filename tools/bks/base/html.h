// SPDX-License-Identifier: MIT

/// @file html.h
/// Writes HTML pages that need no other file, for light and dark mode, narrow and wide windows.

#ifndef BKS_TOOL_HTML_H
#define BKS_TOOL_HTML_H

#include <stdio.h>

#include "backstitch/base.h"

/// Begin a page, up to <main>.
/// @param more  CSS rules, added to those that all pages have
void html_begin(FILE *out, const char *title, const char *more);

/// End a page that html_begin() began.
void html_end(FILE *out);

/// Write text, with HTML's special characters escaped.
void html_text(FILE *out, const char *text);

/// Write printf-like text whose %s arguments are escaped. It supports the conversions s, d, u, x, f
/// and g, with l or ll, but neither %% nor a width by *.
void html_print(FILE *out, const char *format, ...) BKS_PRINTF(2, 3);

/// Begin a section of a page, which "</section>" ends.
/// @param about  a paragraph below the title
void html_section(FILE *out, const char *id, const char *title, const char *about);

/// Write a cell of a table's head row.
void html_head_cell(FILE *out, const char *text);

/// Begin a picture of `width` by `height` units. End it by writing "</svg>".
/// @param top    smallest y
/// @param label  description for screen readers
/// @param more   further attributes of <svg>, such as " preserveAspectRatio=\"none\""
void html_svg(FILE *out, const char *class, int top, int width, int height, const char *label,
              const char *more);

/// Draw a rectangle, or nothing if `width` is negative.
/// @param title  text shown when the mouse is over the rectangle
void html_rect(FILE *out, const char *class, double x, double y, double width, double height,
               const char *title);

/// Draw a line.
/// @param title  text shown when the mouse is over the line
void html_line(FILE *out, const char *class, double x1, double y1, double x2, double y2,
               const char *title);

#endif
