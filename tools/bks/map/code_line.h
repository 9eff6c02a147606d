// SPDX-License-Identifier: MIT

/// @file code_line.h
/// Which function and source line the code at an address of this process is.

#ifndef BKS_TOOL_CODE_LINE_H
#define BKS_TOOL_CODE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Write where code is: "aim (games/aim.c:12)", without debug information "aim in libaim.so", or
/// "an unknown place". Takes some milliseconds.
/// @param address   within the instruction, such as one less than a return address
/// @param capacity  bytes at `out`
void code_line_write(const void *address, char *out, size_t capacity);

/// Choose an address of a fault's call stack, innermost first: the first one in the module that
/// `inside` lies in, else the first of all.
/// @param frames  as backtrace() gives them from the fault on; those behind the first are return
///                addresses
/// @param count   at least 1
/// @return an address for code_line_write()
const void *code_line_choose(void *const *frames, int count, const void *inside);

// ---- of an address, or of what a stopped thread was called by, from debug information ----

/// A line of source, or why it is not known. Texts are empty where they are not known.
typedef struct code_line {
    char line[128];    ///< "sparks.c:27"
    char function[96]; ///< that it stands in
    char text[128];    ///< text of the line, if the file can be read
    char why[160];     ///< there is no line: why
    char path[512];    ///< path of the file, as debug information has it
} code_line;

/// A stopped thread: registers in DWARF's order with the program counter last, and its stack.
typedef struct code_frame {
    uint64_t registers[17];
    uint64_t stack_begin;
    size_t stack_count;
    uint8_t stack[65536];
    int is_behind; ///< the program counter is behind the instruction in question
} code_frame;

/// Find the line of an address, that of the call where it lies in a function of the library or of
/// the system that was compiled into another one.
/// @param process  that the address is of, this one or a stopped one
void code_line_find(pid_t process, uint64_t address, code_line *out);

/// Find the line of the innermost frame in a module, functions of the library passed over.
/// @param process  a stopped process, whose memory is read where the frame's copy has none
/// @param code     an address within the module, such as a game's plug-in
void code_line_unwind(pid_t process, const code_frame *frame, uint64_t code, code_line *out);

#endif
