// SPDX-License-Identifier: MIT

// Of a program that was built without libdw.

#include <stdio.h>

#include "map/code_line_dwarf.h"

void code_line_find(pid_t process, uint64_t address, code_line *out)
{
    (void)process;
    (void)address;
    (void)snprintf(out->why, sizeof(out->why), "bks was built without libdw");
}

void code_line_unwind(pid_t process, const code_frame *frame, uint64_t code, code_line *out)
{
    (void)frame;
    code_line_find(process, code, out);
}
