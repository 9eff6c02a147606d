// SPDX-License-Identifier: MIT

/// @file shell_word.h
/// Words of command lines that a user is to repeat.

#ifndef BKS_TOOL_SHELL_WORD_H
#define BKS_TOOL_SHELL_WORD_H

#include <stddef.h>

/// Write a word as a shell takes it for one word: as it is, or in quotes. It calls nothing that a
/// signal handler must not.
/// @param out  receives it without a terminating 0, cut when it does not fit
/// @return characters written
size_t shell_word_quote(const char *word, char *out, size_t capacity);

#endif
