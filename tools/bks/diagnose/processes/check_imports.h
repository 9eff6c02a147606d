// SPDX-License-Identifier: MIT

/// @file check_imports.h
/// What a plug-in takes from other libraries that no deterministic step should call. It may be for
/// something else, such as drawing: a hint, no verdict.

#ifndef BKS_TOOL_CHECK_IMPORTS_H
#define BKS_TOOL_CHECK_IMPORTS_H

#include "diagnose/processes/check_tape.h"

enum { CHECK_IMPORTS_MAX = 512 };

/// What was found.
typedef struct check_imports {
    uint32_t count;
    const char *names[CHECK_IMPORTS_MAX];  ///< static
    bool is_of_library[CHECK_IMPORTS_MAX]; ///< a part of the library in the plug-in calls it, too
    const char *why;                       ///< why nothing could be read, static; NULL: it was read
} check_imports;

/// Read the imports of a shared object.
void check_imports_read(const char *path, check_imports *out);

/// Which of some functions a shared object takes from others, or a library does that it needs, be
/// it by way of others. Of these it looks into those that this process has loaded.
/// @param out_found  receives it by their numbers; all false also when nothing can be read
void check_imports_of(const char *path, const char *const *names, uint32_t count, bool *out_found);

// ---- mathematics of the C library, which has several forms of it and chooses by processor ----

/// Names of the functions, CHECK_MATHEMATICS of them.
extern const char *const check_mathematics_names[CHECK_MATHEMATICS];

/// Which form of each this process calls: where it lies in its library.
void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS]);

#endif
