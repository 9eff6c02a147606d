// SPDX-License-Identifier: MIT

/// @file check_words.h
/// Command lines of checks for a user who repeats them, and labels with texts beside them, broken
/// between words.

#ifndef BKS_TOOL_CHECK_WORDS_H
#define BKS_TOOL_CHECK_WORDS_H

#include <stdio.h>

#include "diagnose/processes/check_options.h"

/// Words of a command line.
typedef struct check_words {
    uint32_t count;
    const char *items[2 * ARGS_LIST_MAX + 16]; ///< NULL behind the last
    char seed[24];
    char ticks[24];
    char players[24];
    char input[4096];
} check_words;

/// Write "bks check GAME --seed S …" with what the options say beyond their defaults.
/// @param options   lives as long as the words
/// @param variants  a list, which lives as long; NULL: all
void check_words_write(const check_options *options, int64_t seed, int64_t ticks,
                       const char *variants, check_words *out);

/// Write "bks lab GAME --peers 1 …", a match with the same inputs that is recorded.
/// @param options  lives as long as the words
void check_words_record(const check_options *options, uint32_t players, int64_t ticks,
                        check_words *out);

/// The words as one line for a shell, cut when it does not fit.
void check_words_join(const check_words *words, char *out, size_t capacity);

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
