// SPDX-License-Identifier: MIT

/// @file check_text.h
/// Labels with texts beside them.

#ifndef BKS_TOOL_CHECK_TEXT_H
#define BKS_TOOL_CHECK_TEXT_H

#include <stddef.h>

/// Append "  LABEL     TEXT" to a text, the TEXT broken between words, and a line's end.
/// @param out  holds a text, whose end is cut when it does not fit
void check_text_add(char *out, size_t capacity, const char *label, const char *text);

#endif
