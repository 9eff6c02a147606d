// SPDX-License-Identifier: MIT

/// @file check_imports.h Finds functions that a plug-in imports and no deterministic step should
/// call. Drawing may call them, so an import is a hint, no verdict.

#ifndef BKS_TOOL_CHECK_IMPORTS_H
#define BKS_TOOL_CHECK_IMPORTS_H

#include "diagnose/processes/check_tape.h"

/// The processor's counter of cycles, which a step reads by an instruction instead of a function.
/// Among the names of check_imports_names() it has the index CHECK_COUNTER_INDEX.
#define CHECK_COUNTER_OF_CYCLES "rdtsc"
enum { CHECK_COUNTER_INDEX = 0 };

/// Suspicious imports of a plug-in.
typedef struct check_imports {
    uint32_t count;
    const char *names[CHECK_IMPORTS_MAX]; ///< names of the suspicious functions, static texts
    /// True if Backstitch, linked into the plug-in, calls the function; the game may call it, too.
    bool is_of_library[CHECK_IMPORTS_MAX];
    /// True if the steps of a trace did not call the function, see check_imports_take().
    bool is_uncalled[CHECK_IMPORTS_MAX];
    uint32_t call_count;
    check_call called[CHECK_CALLS_MAX]; ///< calls by steps of the game, with their lines
    /// Name of the first function called, by init too, that may tell another machine what no change
    /// tells here, a static text; NULL: none was.
    const char *unvaried;
    bks_tick traced_ticks; ///< number of ticks of the trace; 0: no calls were traced
    /// Reason why the imports could not be read, a static text; NULL: they were read.
    const char *why;
} check_imports;

/// Find suspicious imports of a shared object, such as a plug-in.
void check_imports_read(const char *path, check_imports *out);

/// List the names of all suspicious functions.
/// @return their number
uint32_t check_imports_names(const char *out[CHECK_IMPORTS_MAX]);

/// Return true if an undefined symbol is a suspicious function or one of its forms.
/// @param name  name from check_imports_names()
bool check_imports_is(const char *symbol, const char *name);

/// Return true if a function tells the number of processors.
bool check_imports_is_of_processors(const char *name);

/// Return the first function that the game imports of those that may tell another machine what no
/// change tells here, NULL: none.
const char *check_imports_unvaried(const check_imports *imports);

/// Take the calls that a trace noted (calls_trace.h).
/// @param tape  tape of the run of the variant vary_calls
void check_imports_take(check_imports *imports, const check_tape *tape);

/// Find which functions a shared object imports, also through the libraries that it needs and that
/// this process has loaded.
/// @param out_found  receives true for each name that is imported; all false if the file cannot be
///                   read
void check_imports_of(const char *path, const char *const *names, uint32_t count, bool *out_found);

/// Return true if a name of check_imports_names() is a mathematical function.
bool check_imports_is_mathematics(const char *name);

// ---- mathematics of the C library, which chooses forms of functions by the processor ----

/// Names of the C library's mathematical functions.
extern const char *const check_mathematics_names[CHECK_MATHEMATICS];

/// Find the form of each mathematical function that the C library chose in this process, as the
/// function's offset in the library.
void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS]);

#endif
