// SPDX-License-Identifier: MIT

/// @file check_imports.h
/// Functions that a plug-in imports and no deterministic step should call. Drawing may call them,
/// so they are a hint, no verdict.

#ifndef BKS_TOOL_CHECK_IMPORTS_H
#define BKS_TOOL_CHECK_IMPORTS_H

#include "diagnose/processes/check_tape.h"

enum { CHECK_IMPORTS_MAX = 512 };

/// Suspicious imports of a plug-in.
typedef struct check_imports {
    uint32_t count;
    const char *names[CHECK_IMPORTS_MAX];  ///< static
    bool is_of_library[CHECK_IMPORTS_MAX]; ///< the library in the plug-in calls it, perhaps the
                                           ///< game, too
    const char *why;                       ///< why nothing could be read, static; NULL: it was read
} check_imports;

/// Read the imports of a shared object.
void check_imports_read(const char *path, check_imports *out);

/// Find functions among the imports of a shared object and of the libraries that it needs, as far
/// as this process has loaded them.
/// @param out_found  receives true for each name that is imported; all false if nothing can be read
void check_imports_of(const char *path, const char *const *names, uint32_t count, bool *out_found);

// ---- mathematics of the C library, which chooses forms of functions by the processor ----

/// Names of the mathematical functions.
extern const char *const check_mathematics_names[CHECK_MATHEMATICS];

/// Find the form of each function in this process, as its offset in the library.
void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS]);

#endif
