// SPDX-License-Identifier: MIT

/// @file check_text.h
/// Labels with texts beside them, broken between words.

#ifndef BKS_TOOL_CHECK_TEXT_H
#define BKS_TOOL_CHECK_TEXT_H

#include <stdint.h>
#include <stdio.h>

/// Where the texts behind labels begin.
enum { CHECK_TEXT_INDENT = 12 };

/// Write a text and a line's end. A word that is longer than a line is not broken.
/// @param columns  of a line
/// @param column   where its first line begins, which stands there already
/// @param indent   where the others do
void check_text_wrap(FILE *out, int columns, int column, int indent, const char *text);

/// Write "  LABEL     TEXT" and a line's end.
void check_text_write(FILE *out, int columns, const char *label, const char *text);

/// The same with a command that can be copied: words in quotes where a shell needs them, and a
/// backslash at the end of each line but the last.
void check_text_command(FILE *out, int columns, const char *label, const char *const *words,
                        uint32_t count);

#endif
