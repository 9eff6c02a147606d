// SPDX-License-Identifier: MIT

/// @file check_text.h
/// Command lines with which a user repeats a check, and texts wrapped beside labels.

#ifndef BKS_TOOL_CHECK_TEXT_H
#define BKS_TOOL_CHECK_TEXT_H

#include <stdio.h>

#include "diagnose/processes/check_options.h"

/// Command line that repeats a check.
typedef struct check_arguments {
    uint32_t count;
    const char *items[2 * ARGS_LIST_MAX + 16]; ///< words of the command, then NULL
    char seed[24];
    char ticks[24];
    char players[24];
    char input[4096];
} check_arguments;

/// Write "bks check GAME --seed S …" with all options that differ from their defaults.
/// @param options   must outlive `out`
/// @param variants  list of variants, which must outlive `out`; NULL: all variants
void check_arguments_write(const check_options *options, int64_t seed, int64_t ticks,
                           const char *variants, check_arguments *out);

/// Write "bks lab GAME --peers 1 …", which records a match with the same inputs.
/// @param options  must outlive `out`
void check_arguments_record(const check_options *options, uint32_t players, int64_t ticks,
                            check_arguments *out);

/// Write a command as one line for a shell, cut if it does not fit.
void check_arguments_join(const check_arguments *arguments, char *out, size_t capacity);

/// Column at which texts beside labels begin.
enum { CHECK_TEXT_INDENT = 12 };

/// Write a text, wrapped between words, and a newline.
/// @param columns  width of a line
/// @param column   columns already written on the first line
/// @param indent   blank columns at the start of each further line
void check_text_wrap(FILE *out, int columns, int column, int indent, const char *text);

/// Write "  LABEL     TEXT", wrapped, and a newline.
void check_text_write(FILE *out, int columns, const char *label, const char *text);

/// Write "  LABEL     COMMAND", wrapped so that it can be copied to a shell: words are quoted if
/// necessary, and each line but the last ends with a backslash.
void check_text_command(FILE *out, int columns, const char *label, const char *const *arguments,
                        uint32_t count);

#endif
