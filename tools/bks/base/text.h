// SPDX-License-Identifier: MIT

/// @file text.h
/// Appends to texts, writes the texts of errors, and makes foreign text, such as a file's name,
/// safe for a terminal or a shell.

#ifndef BKS_TOOL_TEXT_H
#define BKS_TOOL_TEXT_H

#include <stdio.h>

#include "backstitch/base.h"

/// Format a text into an array of characters, cut if it does not fit.
#define TEXT_SET(array, ...) ((void)snprintf((array), sizeof(array), __VA_ARGS__))

/// Append a formatted text to an array of characters.
#define TEXT_ADD(array, ...) text_add((array), sizeof(array), __VA_ARGS__)

/// Append a formatted text, cut if it does not fit.
/// @param text  ends within `capacity` bytes
void text_add(char *text, size_t capacity, const char *format, ...) BKS_PRINTF(3, 4);

/// Fill in an error with a sentence that names the value and the range.
/// @param error  may be NULL
/// @return `code`
bks_status fail_with(bks_error *error, bks_status code, const char *format, ...) BKS_PRINTF(3, 4);

/// Fill in an error about bytes, as fail_with() does. The sentence ends with " at byte OFFSET".
bks_status fail_at(bks_error *error, bks_status code, uint64_t offset_bytes, const char *format,
                   ...) BKS_PRINTF(4, 5);

/// Return a text with its control characters as \xHH.
/// @param kept  control characters that stay, such as "\n"
/// @param room  receives the new text, cut if it does not fit; used only if `text` has control
///              characters to replace
/// @return `text` itself, or `room`
const char *plain_text(const char *text, const char *kept, char *room, size_t capacity);

/// Return a file's name with all its control characters as \xHH.
/// @return `name`, or memory of the thread that the next call overwrites
const char *plain_name(const char *name);

/// Quote a word if a shell would not read it as one word. It is safe in a signal handler.
/// @param out  receives the word without a terminating 0, cut if it does not fit
/// @return characters written
size_t shell_word_quote(const char *word, char *out, size_t capacity);

#endif
