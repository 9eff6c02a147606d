// SPDX-License-Identifier: MIT

/// @file vary_language.h The language of another player, for the variant `world`: its environment
/// variables, its time zone, and its locale, which is made by localedef if the system has none.

#ifndef BKS_TOOL_VARY_LANGUAGE_H
#define BKS_TOOL_VARY_LANGUAGE_H

#include <stddef.h>

/// A language other than the user's, with its locale and time zone.
typedef struct vary_language {
    const char *name;         ///< name of its locale without the encoding, such as de_DE
    const char *short_name;   ///< language alone, such as de
    const char *zone;         ///< time zone as POSIX writes it, with the zone's own summer time
    const char *old_encoding; ///< encoding of its older locales, such as ISO-8859-1
} vary_language;

/// Choose a language that is not the user's, spoken in a time zone that is not the user's either.
/// Each possible language writes decimals with a comma, and does not sort names by their bytes.
/// Call this function before the environment is changed.
const vary_language *vary_language_choose(void);

/// Set the variables LANG, LANGUAGE and TZ.
void vary_language_environment(const vary_language *language);

/// Load the language's locale, but with the letters of Turkish, in which `i` has another upper
/// case. The process uses this locale from then on.
/// @param out_missing  receives a text about parts that cannot be varied on this system, "": none
void vary_language_load(const vary_language *language, char *out_missing, size_t capacity);

#endif
