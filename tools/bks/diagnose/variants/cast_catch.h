// SPDX-License-Identifier: MIT

/// @file cast_catch.h Catches conversions of numbers that do not fit into their integer, in a game
/// that was built with -fsanitize=float-cast-overflow. The compiler then puts a check before each
/// conversion, and this program has the function that a failed check calls.

#ifndef BKS_TOOL_CAST_CATCH_H
#define BKS_TOOL_CAST_CATCH_H

/// Caught conversion. Start from {0}.
typedef struct cast_catch {
    const void *address; ///< address within the call after the failed check, NULL: none was caught
    char text[96];       ///< what does not fit
} cast_catch;

/// Leave conversions that do not fit alone from now on, without a message, and record the first.
/// @param out  receives the record, also after this call returns; NULL: record no more
void cast_catch_begin(cast_catch *out);

#endif
