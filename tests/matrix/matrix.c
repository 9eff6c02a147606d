// SPDX-License-Identifier: MIT

// What scripts/matrix compiles for each machine: see matrix.h.
//
//     matrix [quick]
//
// MATH_ALONE leaves out the match, and with it all of the library but det's mathematics.

#include "matrix/matrix.h"

#include <string.h>

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    matrix_math(quick);
#ifndef MATH_ALONE
    if (!matrix_duel()) {
        return 1;
    }
#endif
    return 0;
}
