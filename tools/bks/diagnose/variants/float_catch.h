// SPDX-License-Identifier: MIT

/// @file float_catch.h
/// Traps for code that does an invalid floating-point operation or changes the floating-point
/// environment. Linux on x86-64 only.

#ifndef BKS_TOOL_FLOAT_CATCH_H
#define BKS_TOOL_FLOAT_CATCH_H

#include <stdbool.h>
#include <stdint.h>

/// Limit for the traps that are handled in one step.
#define FLOAT_TRAPS_MAX 8192u

/// Place of a trap. Start from {0}.
typedef struct float_catch {
    int count; ///< number of frames, 0: nothing was caught
    void *frames[24];
    uint32_t replaced; ///< results of invalid operations that were replaced
    bool is_x87;       ///< an invalid operation of the x87 was caught
} float_catch;

/// Return true if this program can catch floating-point operations on this machine.
bool float_catch_is_possible(void);

/// Load the library that reads stacks, before the game allocates memory.
void float_catch_prepare(void);

/// Replace the results of invalid operations of SSE, AVX and FMA by those of other processors from
/// now on: a NaN gets the other sign, a NaN becomes the integer 0, too large a number the largest
/// integer. Comparisons and conversions of unsigned numbers are left alone. An invalid operation of
/// the x87 is recorded and skipped.
/// @param most  limit for replaced results, the last of which is recorded; UINT32_MAX: no limit but
///              FLOAT_TRAPS_MAX traps, and the first is recorded
/// @param out   receives the record; stays in use
void float_catch_invalid(float_catch *out, uint32_t most);

/// Execute single instructions from now on until one changes the floating-point environment.
/// @param out  stays in use until float_catch_changes_end()
void float_catch_changes(float_catch *out);
void float_catch_changes_end(void);

// ---- instructions of SSE, AVX and FMA whose invalid operations differ between processors: those
// with a NaN as the result, and conversions to an integer ----

enum { FLOAT_NO_REGISTER = 16, FLOAT_LANES_MAX = 8 };

/// Decoded instruction. Registers are 0..15 as the processor numbers them.
typedef struct float_instruction {
    bool gives_integers;
    bool is_general;       ///< the target is a general register
    uint32_t target;       ///< a general or a vector register
    uint32_t lanes;        ///< numbers in the result, 1..FLOAT_LANES_MAX
    uint32_t target_bytes; ///< size of a result: 4 or 8
    uint32_t source_bytes; ///< size of an operand: 4 or 8
    bool is_in_memory;     ///< the last operand is in memory
    uint32_t source;       ///< vector register of the last operand otherwise
    bool is_relative;      ///< the address is relative to the next instruction
    uint32_t base;         ///< general register, FLOAT_NO_REGISTER: none
    uint32_t index;        ///< general register, FLOAT_NO_REGISTER: none
    uint32_t scale;        ///< factor of the index
    int32_t displacement;
    uint32_t length; ///< length of the instruction in bytes
} float_instruction;

/// Decode an instruction.
/// @param code  its bytes, complete
/// @return false: another instruction, or a form that is not supported (AVX-512, segments)
bool float_instruction_read(const uint8_t *code, float_instruction *out);

#endif
