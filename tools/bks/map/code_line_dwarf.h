// SPDX-License-Identifier: MIT

/// @file code_line_dwarf.h
/// Functions and lines from debug information.

#ifndef BKS_TOOL_CODE_LINE_DWARF_H
#define BKS_TOOL_CODE_LINE_DWARF_H

typedef struct code_line_place {
    char function[64]; ///< empty: not known
    char file[256];    ///< as the compiler had it
    int line;          ///< from 1, 0: not known
} code_line_place;

/// Look up an address of this process. Without libdw, or debug information, `out` is left alone.
void code_line_find(const void *address, code_line_place *out);

#endif
