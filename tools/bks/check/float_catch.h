// SPDX-License-Identifier: MIT

/// @file float_catch.h
/// The processor's view of floating-point numbers, on x86-64: set it oddly, and catch the code that
/// does an invalid operation or changes it.

#ifndef BKS_TOOL_FLOAT_CATCH_H
#define BKS_TOOL_FLOAT_CATCH_H

#include <stdbool.h>
#include <stdint.h>

/// Settings that a library may leave.
#define FLOAT_SETTINGS 6u

/// Where something was caught. Start from {0}.
typedef struct float_catch {
    int count; ///< of frames, 0: nothing was caught
    void *frames[24];
} float_catch;

/// Whether this can be done here at all.
bool float_catch_is_possible(void);

/// Set the calling thread's environment oddly: another rounding, flushed denormals, fewer digits of
/// the x87, all of these.
/// @param which  any number, taken modulo FLOAT_SETTINGS
void float_setting_choose(uint32_t which);

/// Back to what a process begins with.
void float_setting_clear(void);

/// From now on the first invalid operation that is trapped is written down and then done as if it
/// were not trapped; later ones of that step are not noticed.
/// @param out  stays in use
void float_catch_invalid(float_catch *out);

/// Execute one instruction after another from now on, until one changes the environment from what
/// it is now.
/// @param out  stays in use until float_catch_changes_end()
void float_catch_changes(float_catch *out);
void float_catch_changes_end(void);

#endif
