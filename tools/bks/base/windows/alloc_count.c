// SPDX-License-Identifier: MIT
//
// A DLL calls the heap of its own run-time: what a game takes from it is not seen from here.

#include "base/alloc_count.h"

bool alloc_count_works(void)
{
    return false;
}

uint64_t alloc_count_thread(void)
{
    return 0;
}

void alloc_count_fill(uint8_t pattern)
{
    (void)pattern;
}
