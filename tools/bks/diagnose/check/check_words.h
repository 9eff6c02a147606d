// SPDX-License-Identifier: MIT

/// @file check_words.h
/// The command line of one check, for a process or for a user who repeats it.

#ifndef BKS_TOOL_CHECK_WORDS_H
#define BKS_TOOL_CHECK_WORDS_H

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

#endif
