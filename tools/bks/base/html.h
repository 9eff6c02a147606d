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

/// Write a format in which each %s stands for a text that is escaped; it has nothing else of
/// printf.
void html_print(FILE *out, const char *format, ...) BKS_PRINTF(2, 3);

#endif
