// SPDX-License-Identifier: MIT

/// @file float_instruction.h
/// Instructions of SSE, AVX and FMA on x86-64 of which an invalid operation comes to something else
/// than on other processors: those that give a NaN, and conversions to an integer.

#ifndef BKS_TOOL_FLOAT_INSTRUCTION_H
#define BKS_TOOL_FLOAT_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

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
