// SPDX-License-Identifier: MIT

/// @file text.h
/// Text that grows, the text of an error, and text from elsewhere, such as a file's name, made safe
/// for a terminal or a shell.

#ifndef BKS_TOOL_TEXT_H
#define BKS_TOOL_TEXT_H

#include <stdio.h>

#include "backstitch/base.h"

/// Write a text into an array of characters, cut when it does not fit.
#define TEXT_SET(array, ...) ((void)snprintf((array), sizeof(array), __VA_ARGS__))

/// Append to the text in an array.
#define TEXT_ADD(array, ...) text_add((array), sizeof(array), __VA_ARGS__)

/// Append to a text, cut when it does not fit.
/// @param text  ends within `capacity` bytes
void text_add(char *text, size_t capacity, const char *format, ...) BKS_PRINTF(3, 4);

/// Fail with a sentence that names the value and the range.
/// @param error  may be NULL
/// @return code
bks_status fail_with(bks_error *error, bks_status code, const char *format, ...) BKS_PRINTF(3, 4);

/// Fail as fail_with(), for bytes: the sentence ends with " at byte OFFSET".
bks_status fail_at(bks_error *error, bks_status code, uint64_t offset_bytes, const char *format,
                   ...) BKS_PRINTF(4, 5);

/// The text with control characters as \xHH.
/// @param kept  characters among them that stay, such as "\n"
/// @param room  receives it where there are others, cut when it does not fit
/// @return `text` itself, or `room`
const char *plain_text(const char *text, const char *kept, char *room, size_t capacity);

/// The same of a file's name, in which nothing is kept.
/// @return `name`, or memory of the thread that the next call uses again
const char *plain_name(const char *name);

/// Write a word as a shell takes it for one word: as it is, or in quotes. It calls nothing that a
/// signal handler must not.
/// @param out  receives it without a terminating 0, cut when it does not fit
/// @return characters written
size_t shell_word_quote(const char *word, char *out, size_t capacity);

#endif
