// SPDX-License-Identifier: MIT

/// @file float_catch.h Catches code that does an invalid floating-point operation or changes the
/// floating-point environment. Linux on x86-64 only.

#ifndef BKS_TOOL_FLOAT_CATCH_H
#define BKS_TOOL_FLOAT_CATCH_H

#include <stdbool.h>
#include <stdint.h>

/// Most traps that are handled in one step.
#define FLOAT_TRAPS_MAX 8192u

/// Call stack of a caught operation. Start from {0}.
typedef struct float_catch {
    int count; ///< number of stack frames, 0: nothing was caught
    void *frames[24];
    uint32_t replaced; ///< number of results of invalid operations that were replaced
    bool is_x87;       ///< true if the caught operation is an invalid operation of the x87
} float_catch;

/// Return true if this program can catch floating-point operations on this machine.
bool float_catch_is_possible(void);

/// Load the library that reads stacks. Call it before the game allocates memory.
void float_catch_prepare(void);

/// From now on, replace the results of invalid operations of SSE, AVX and FMA by those of other
/// processors. A NaN gets the other sign. Converted to an integer, a NaN becomes 0 and a number
/// that is too large becomes the largest integer. Comparisons and conversions to unsigned numbers
/// are left alone. An invalid operation of the x87 is recorded and skipped.
/// @param most  most results to replace; the place of the last of them is recorded. UINT32_MAX:
///              replace the results of up to FLOAT_TRAPS_MAX traps, and record the first place
/// @param out   receives the record, also after this call returns
void float_catch_invalid(float_catch *out, uint32_t most);

/// From now on, execute one instruction at a time until one changes the floating-point environment.
/// Record that instruction.
/// @param out  receives the record; must exist until float_catch_changes_end()
void float_catch_changes(float_catch *out);
void float_catch_changes_end(void);

// ---- instructions of SSE, AVX and FMA whose invalid operations differ between processors: those
// with a NaN as the result, and conversions to an integer ----

enum { FLOAT_NO_REGISTER = 16, FLOAT_LANES_MAX = 8 };

/// Decoded instruction. Registers are numbered 0 to 15 as the processor numbers them.
typedef struct float_instruction {
    bool gives_integers;
    bool is_general;       ///< true if the target is a general register
    uint32_t target;       ///< number of the target, a general or a vector register
    uint32_t lanes;        ///< count of numbers in the result, 1 to FLOAT_LANES_MAX
    uint32_t target_bytes; ///< size of each number in the result: 4 or 8 bytes
    uint32_t source_bytes; ///< size of each number in an operand: 4 or 8 bytes
    bool is_in_memory;     ///< true if the last operand is in memory
    uint32_t source;       ///< number of the last operand's vector register, if it is not in memory
    bool is_relative;      ///< true if the operand's address is relative to the next instruction
    /// Number of the general register with the base address, FLOAT_NO_REGISTER: none.
    uint32_t base;
    /// Number of the general register with the index, FLOAT_NO_REGISTER: none.
    uint32_t index;
    uint32_t scale; ///< factor of the index in the operand's address
    int32_t displacement;
    uint32_t length; ///< length of the instruction in bytes
} float_instruction;

/// Decode an instruction.
/// @param code  all bytes of the instruction
/// @return false if results of the instruction are not replaced, or its form is not supported
///         (AVX-512, segments)
bool float_instruction_read(const uint8_t *code, float_instruction *out);

#endif
