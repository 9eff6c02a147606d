// SPDX-License-Identifier: MIT

/// @file html.h
/// Pages that need nothing else: one file, light and dark, narrow and wide.

#ifndef BKS_TOOL_HTML_H
#define BKS_TOOL_HTML_H

#include <stdio.h>

#include "backstitch/base.h"

/// Begin a page, up to its <main>.
/// @param more  rules of style beside those of all pages
void html_begin(FILE *out, const char *title, const char *more);

/// End it.
void html_end(FILE *out);

/// Write text with what HTML would take for its own escaped.
void html_text(FILE *out, const char *text);

/// Write a format of printf whose texts (%s) are escaped. Conversions: s, d, u, x, f and g, with l
/// or ll; no %%, no width by *.
void html_print(FILE *out, const char *format, ...) BKS_PRINTF(2, 3);

/// Begin a section of a page, which "</section>" ends.
/// @param about  a paragraph below the title
void html_section(FILE *out, const char *id, const char *title, const char *about);

/// Write a cell of a table's head.
void html_head_cell(FILE *out, const char *text);

/// Begin a picture that spans `width` times `height` of its own units; "</svg>" ends it.
/// @param top    the least y
/// @param label  read to those who cannot see it
/// @param more   attributes, such as " preserveAspectRatio=\"none\""
void html_svg(FILE *out, const char *class, int top, int width, int height, const char *label,
              const char *more);

/// Draw a rectangle; a negative width is none.
/// @param title  shown on hovering
void html_rect(FILE *out, const char *class, double x, double y, double width, double height,
               const char *title);

/// Draw a line.
/// @param title  shown on hovering
void html_line(FILE *out, const char *class, double x1, double y1, double x2, double y2,
               const char *title);

#endif
