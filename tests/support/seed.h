// SPDX-License-Identifier: MIT

/// @file seed.h
/// Random tests: the seed comes from the command line, else it is fixed; it is printed on entry, so
/// that a failure can be run again.

#ifndef TEST_SEED_H
#define TEST_SEED_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed_state;

static inline void seed_from(int argc, char **argv, uint64_t otherwise)
{
    seed_state = argc > 1 ? strtoull(argv[1], NULL, 0) : otherwise;
    printf("seed %" PRIu64 "\n", seed_state);
}

/// SplitMix64 (S. Vigna): apart from the library's own generators, which are under test.
static inline uint64_t seed_next(void)
{
    uint64_t z = seed_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/// Of so many rounds of a test those that this build runs: a sanitizer takes four times as long,
/// and what it finds it finds in few. So it is with 32 bits: on virtual time each seed comes to the
/// same as with 64, and sizes that are too small are so in every round.
static inline uint32_t seed_rounds(uint32_t rounds)
{
#if defined(BKS_TEST_SANITIZED) || UINTPTR_MAX == UINT32_MAX
    rounds = (rounds + 3) / 4;
#endif
    return rounds;
}

/// 0..bound-1
static inline uint32_t seed_below(uint32_t bound)
{
    return (uint32_t)(seed_next() % bound);
}

#endif
