// SPDX-License-Identifier: MIT

/// @file check_line.h
/// A line of a game's source.

#ifndef BKS_TOOL_CHECK_LINE_H
#define BKS_TOOL_CHECK_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Where something was written, or why that is not known. Texts are empty where they are not known.
typedef struct check_line {
    char line[128];    ///< "sparks.c:27"
    char function[96]; ///< that it stands in
    char text[128];    ///< what stands there, where the file can be read
    char why[160];     ///< there is no line: why
    char path[512];    ///< of the file, as debug information has it
} check_line;

/// A stopped thread: registers in DWARF's order with the program counter last, and its stack.
typedef struct check_frame {
    uint64_t registers[17];
    uint64_t stack_begin;
    size_t stack_count;
    uint8_t stack[65536];
    int is_behind; ///< the program counter is behind the instruction in question
} check_frame;

/// Find the first frame in the game's plug-in, functions of the library passed over.
/// @param process  a stopped process, whose memory is read where the frame's copy has none
/// @param code     an address within the plug-in
void check_line_find(pid_t process, const check_frame *frame, uint64_t code, check_line *out);

#endif
