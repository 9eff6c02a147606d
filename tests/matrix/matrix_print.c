// SPDX-License-Identifier: MIT

#include <stdio.h>

#include "matrix/matrix.h"

void matrix_print(const char *name, uint64_t digest)
{
    printf("%-16s %08lx%08lx\n", name, (unsigned long)(digest >> 32),
           (unsigned long)(digest & UINT32_MAX));
}
