// SPDX-License-Identifier: MIT

/// @file plain_text.h
/// Text from elsewhere, such as a file's name, that is printed: what would move the cursor or end
/// the line is written out. Words of command lines that a user is to repeat. Texts in arrays.

#ifndef BKS_TOOL_PLAIN_TEXT_H
#define BKS_TOOL_PLAIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "backstitch/base.h"

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

/// Write a text into an array of characters, cut when it does not fit.
#define TEXT_SET(array, ...) ((void)snprintf((array), sizeof(array), __VA_ARGS__))

/// Append to the text in an array.
#define TEXT_ADD(array, ...) text_add((array), sizeof(array), __VA_ARGS__)

/// Append to a text, cut when it does not fit.
void text_add(char *text, size_t capacity, const char *format, ...) BKS_PRINTF(3, 4);

#endif
