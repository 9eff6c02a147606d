// SPDX-License-Identifier: MIT

/// @file code_line.h
/// Finds the function and the source line of an address, or of a frame of a stopped thread.

#ifndef BKS_TOOL_CODE_LINE_H
#define BKS_TOOL_CODE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Write the place of code in this process: "aim (aim.c:12)", or without debug information "aim in
/// libaim.so" or "an unknown place". Takes some milliseconds.
/// @param address   address within the instruction, such as one less than a return address
/// @param capacity  bytes at `out`
void code_line_write(const void *address, char *out, size_t capacity);

/// Choose the address of a fault's call stack that shows its cause: the innermost one in a module,
/// or else the innermost of all.
/// @param frames  addresses that backtrace() gives, from the fault on; all but the first are return
///                addresses
/// @param count   length of `frames`, at least 1
/// @param inside  an address in the module
/// @return an address for code_line_write()
const void *code_line_choose(void *const *frames, int count, const void *inside);

// ---- lines from debug information ----

/// A line of source, or the reason why no line is known. Unknown texts are empty.
typedef struct code_line {
    char line[128];    ///< file and number of the line, such as `sparks.c:27`
    char function[96]; ///< name of the function that has the line
    char text[128];    ///< text of the line, if the file can be read
    char why[160];     ///< reason why no line is known
    char path[512];    ///< path of the source file in the debug information
} code_line;

/// A stopped thread: registers in DWARF's order with the program counter last, and its stack.
typedef struct code_frame {
    uint64_t registers[17];
    uint64_t stack_begin;
    size_t stack_count;
    uint8_t stack[65536];
    /// 1: the program counter is already past the instruction to look up. 0: it is at this
    /// instruction.
    int is_behind;
} code_frame;

/// Find the line of an address. For an inlined function of the library or the system, this is the
/// line that calls it.
/// @param process  process of the address: this one, or a stopped one
void code_line_find(pid_t process, uint64_t address, code_line *out);

/// Find the line of the innermost frame that is in a module. Functions of the library are skipped.
/// @param process  a stopped process, whose memory is read for parts of the stack not in `frame`
/// @param code     an address within the module, such as a game's plug-in
void code_line_unwind(pid_t process, const code_frame *frame, uint64_t code, code_line *out);

#endif
