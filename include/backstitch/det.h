// SPDX-License-Identifier: MIT

/// @file det.h
/// What a deterministic step needs from outside the game: random numbers whose whole state lies in
/// the region, and arithmetic that is the same on every machine.
///
/// Thread rule: plain data, one thread at a time for each generator.

#ifndef BACKSTITCH_DET_H
#define BACKSTITCH_DET_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// For functions that every unit compiles for itself.
#if defined(__GNUC__)
#define BKS_OWN_UNIT static __attribute__((noinline, unused))
#else
#define BKS_OWN_UNIT static inline
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

/// What is wrong with the arithmetic of a game as it was compiled. Bits.
typedef enum bks_arithmetic {
    BKS_ARITHMETIC_FUSED = 1,        ///< a * b + c is rounded once where others round twice
    BKS_ARITHMETIC_REASSOCIATED = 2, ///< (a + c) - c is a: the compiler calculates as it likes
    BKS_ARITHMETIC_EXCESS = 4,       ///< more digits are kept than the type has, as the x87 does
} bks_arithmetic;

/// The first of these faults in words, with its cure: "fuses a * b + c: compile it with
/// -ffp-contract=off".
/// @param faults  bits of bks_arithmetic
/// @return a static text of at most 80 bytes; "" when there is none
BKS_API const char *bks_arithmetic_text(uint32_t faults);

// What follows is compiled into the game's own units, so that it sees how they were compiled. The
// volatile numbers keep the compiler from working the results out itself.

/// Try a * b + c, (a + c) - c and a / b as the unit that includes this header has them. A game need
/// not call it: the config's defaults do.
/// @return bits of bks_arithmetic, 0 when all is as IEEE 754 has it
BKS_OWN_UNIT uint32_t bks_arithmetic_of_unit(void)
{
    volatile float one = 1.0f, three = 3.0f, large = 33554432.0f;
    volatile float near1 = 4097.0f / 4096.0f;               // its square needs 25 bits
    volatile float minus_square = -(1.0f + 1.0f / 2048.0f); // the square in 24 bits, negative
    volatile double one64 = 1.0, three64 = 3.0;
    volatile double near64 = 1.0 + 1.0 / 134217728.0;
    volatile double minus_square64 = -(1.0 + 1.0 / 67108864.0);
    volatile float third = one / three;
    volatile double third64 = one64 / three64;
    float rest = one / three - third;
    double rest64 = one64 / three64 - third64;
    if (rest < 0.0f || rest > 0.0f || rest64 < 0.0 || rest64 > 0.0) {
        return BKS_ARITHMETIC_EXCESS; // what is below shows that too
    }
    uint32_t faults = 0;
    float summand = one, much = large; // read once, or nothing could be cancelled
    if ((summand + much) - much > 0.0f) {
        faults |= BKS_ARITHMETIC_REASSOCIATED;
    }
    if (near1 * near1 + minus_square > 0.0f || near64 * near64 + minus_square64 > 0.0) {
        faults |= BKS_ARITHMETIC_FUSED;
    }
    return faults;
}

#if defined(__GNUC__) && defined(__ELF__) && !defined(BKS_UNITS_UNLISTED)
/// All units of a program or a shared object that include this header, as the linker lists them;
/// one that defines BKS_UNITS_UNLISTED stays out.
typedef uint32_t (*bks_arithmetic_test)(void);
static const bks_arithmetic_test bks_arithmetic_entry __attribute__((used, section("bks_units"))) =
    bks_arithmetic_of_unit;
extern const bks_arithmetic_test __start_bks_units[] __attribute__((weak, visibility("hidden")));
extern const bks_arithmetic_test __stop_bks_units[] __attribute__((weak, visibility("hidden")));
#endif

/// The same of every unit of the caller's program or shared object that includes this header, where
/// the linker can list them (ELF); elsewhere of the caller's unit.
/// @return bits of bks_arithmetic, those of all units together
BKS_OWN_UNIT uint32_t bks_arithmetic_here(void)
{
    uint32_t faults = bks_arithmetic_of_unit();
#if defined(__GNUC__) && defined(__ELF__) && !defined(BKS_UNITS_UNLISTED)
    for (const bks_arithmetic_test *test = __start_bks_units; test < __stop_bks_units; test++) {
        faults |= (*test)();
    }
#endif
    return faults;
}

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_DET_H
