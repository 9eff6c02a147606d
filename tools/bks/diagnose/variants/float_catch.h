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

// ---- instructions of SSE, AVX and FMA on x86-64 of which an invalid operation comes to something
// else than on other processors: those that give a NaN, and conversions to an integer ----

enum { FLOAT_NO_REGISTER = 16, FLOAT_LANES_MAX = 8 };

/// One instruction. Registers are 0..15 as the processor numbers them.
typedef struct float_instruction {
    bool gives_integers;
    bool is_general;       ///< the target is a general register
    uint32_t target;       ///< a general or a vector register
    uint32_t lanes;        ///< of the result, 1..FLOAT_LANES_MAX
    uint32_t target_bytes; ///< of a lane: 4 or 8
    uint32_t source_bytes; ///< of a number: 4 or 8
    bool is_in_memory;     ///< the last operand
    uint32_t source;       ///< vector register that holds it otherwise
    bool is_relative;      ///< of memory: to the instruction behind
    uint32_t base;         ///< general register, FLOAT_NO_REGISTER: none
    uint32_t index;        ///< the same
    uint32_t scale;        ///< of the index
    int32_t displacement;
    uint32_t length; ///< of the instruction in bytes
} float_instruction;

/// @param code  an instruction that the processor has begun
/// @return false: another instruction, or a form that is not known (AVX-512, segments)
bool float_instruction_read(const uint8_t *code, float_instruction *out);

#endif
