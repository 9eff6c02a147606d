// SPDX-License-Identifier: MIT

/// @file figure_words.h
/// What the names of figures mean, in a few words, for those who look at them.

#ifndef BKS_TOOL_FIGURE_WORDS_H
#define BKS_TOOL_FIGURE_WORDS_H

/// A name and what it means.
typedef struct figure_word {
    const char *name;
    const char *meaning; ///< at most 36 characters, so that it has room in a panel
} figure_word;

/// All of them; behind the last one a name that is NULL.
extern const figure_word figure_words[];

#endif
