// SPDX-License-Identifier: MIT

/// @file float_catch.h
/// Catch the code that does an invalid operation of floating-point numbers, or changes how the
/// processor calculates: on Linux on x86-64.

#ifndef BKS_TOOL_FLOAT_CATCH_H
#define BKS_TOOL_FLOAT_CATCH_H

#include <stdbool.h>
#include <stdint.h>

/// Traps that are looked at in one step.
#define FLOAT_TRAPS_MAX 8192u

/// Where something was caught. Start from {0}.
typedef struct float_catch {
    int count; ///< of frames, 0: nothing was caught
    void *frames[24];
    uint32_t replaced; ///< results of invalid operations
    bool is_x87;       ///< an invalid operation of the x87 was caught
} float_catch;

/// Whether this can be done here at all.
bool float_catch_is_possible(void);

/// Load what names the places where something is caught, before the game takes memory.
void float_catch_prepare(void);

/// From now on an invalid operation of SSE, AVX or FMA that is trapped comes to what other
/// processors give: a NaN has the other sign, a NaN becomes the integer 0, too large a number the
/// largest integer. The last one that was replaced is written down; without `most` the first. What
/// a comparison or a conversion of unsigned numbers does with the result that x86 has for invalid
/// operations is left alone. The first invalid operation of the x87 is written down, and not done.
/// @param most  results that are replaced at most; UINT32_MAX: no limit, but FLOAT_TRAPS_MAX traps
///              at most are looked at
/// @param out   stays in use
void float_catch_invalid(float_catch *out, uint32_t most);

/// Execute one instruction after another from now on, until one changes the environment from what
/// it is now.
/// @param out  stays in use until float_catch_changes_end()
void float_catch_changes(float_catch *out);
void float_catch_changes_end(void);

#endif
