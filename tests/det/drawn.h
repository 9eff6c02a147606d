// SPDX-License-Identifier: MIT

// Random numbers for tests of the mathematical functions.

#ifndef BKS_TEST_DRAWN_H
#define BKS_TEST_DRAWN_H

#include <stdint.h>

/// Return the next 64 random bits after `*state`, which begins with a seed.
static inline uint64_t draw_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t mixed = (*state ^ (*state >> 29)) * 0xBF58476D1CE4E5B9u;
    return mixed ^ (mixed >> 32);
}

#endif
