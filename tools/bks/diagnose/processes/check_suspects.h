// SPDX-License-Identifier: MIT

/// @file check_suspects.h
/// Functions of other libraries that no deterministic step should call, and which of them this
/// library calls itself.

#ifndef BKS_TOOL_CHECK_SUSPECTS_H
#define BKS_TOOL_CHECK_SUSPECTS_H

#include <stdbool.h>
#include <stdint.h>

/// Names, but for mathematics (check_mathematics.h).
extern const char *const check_suspects[];
extern const uint32_t check_suspect_count;

/// Whether an undefined symbol is a function of a name, or one of the C library's forms of it:
/// checked (__read_chk), of a standard (__isoc99_fscanf), for large files (open64), for a vector.
bool check_suspect_is(const char *symbol, const char *name);

/// A part of the library, by a symbol that it defines, and what it calls.
typedef struct check_library_part {
    const char *symbol;
    const char *calls[10]; ///< up to a NULL
} check_library_part;

extern const check_library_part check_library_parts[];
extern const uint32_t check_library_part_count;

#endif
