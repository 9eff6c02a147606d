// SPDX-License-Identifier: MIT

/// @file code_line.h
/// Which function and source line the code at an address of this process is.

#ifndef BKS_TOOL_CODE_LINE_H
#define BKS_TOOL_CODE_LINE_H

#include <stdbool.h>
#include <stddef.h>

/// Write where code is: "aim (games/aim.c:12)", without debug information "aim in libaim.so", or
/// "an unknown place". Takes some milliseconds.
/// @param address   within the instruction, such as one less than a return address
/// @param capacity  bytes at `out`
void code_line_write(const void *address, char *out, size_t capacity);

/// Of a fault's call stack, innermost first: the first address within the module that `inside` lies
/// in, or else the first of all.
/// @param frames  as backtrace() gives them from the fault on; those behind the first are return
///                addresses
/// @param count   at least 1
/// @return an address for code_line_write()
const void *code_line_choose(void *const *frames, int count, const void *inside);

#endif
