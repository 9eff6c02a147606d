// SPDX-License-Identifier: MIT

/// @file det.h
/// What a deterministic step needs from outside the game: random numbers whose whole state lies in
/// the region.
///
/// Thread rule: plain data, one thread at a time for each generator.

#ifndef BACKSTITCH_DET_H
#define BACKSTITCH_DET_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A random number generator (PCG-XSH-RR 64/32, M. O'Neill, pcg-random.org). Keep it in the state.
/// The same calls give the same numbers on every machine.
typedef struct bks_random {
    uint64_t state;     ///< moves with every number
    uint64_t increment; ///< the stream, always odd
} bks_random;

/// Begin a stream. Different streams of one seed do not overlap in practice.
/// @param random  not NULL
BKS_API void bks_random_seed(bks_random *random, uint64_t seed, uint64_t stream);

/// The next 32 random bits.
/// @param random  not NULL, seeded
BKS_API uint32_t bks_random_next(bks_random *random);

/// A number in 0..bound-1, each equally likely.
/// @param bound  at least 1; 0 gives 0
BKS_API uint32_t bks_random_below(bks_random *random, uint32_t bound);

/// A number in least..greatest, each equally likely.
/// @param least  at most `greatest`; otherwise `least` comes back
BKS_API int32_t bks_random_between(bks_random *random, int32_t least, int32_t greatest);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_DET_H
