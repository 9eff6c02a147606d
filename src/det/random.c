// SPDX-License-Identifier: MIT

// Source: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
// Algorithms for Random Number Generation", pcg-random.org; this is her pcg32 (XSH-RR 64/32).

#include "backstitch/det.h"

#include "base/report.h"

/// Multiplier of the linear congruential generator on which pcg32 is built.
#define MULTIPLIER UINT64_C(6364136223846793005)

/// Return the next 32 random bits. The stream is made odd, although bks_random_seed() has done so.
/// Otherwise a generator that was never seeded, such as all zeros, would not visit every state, and
/// below() might not end.
static uint32_t next(bks_random *random)
{
    uint64_t old = random->state;
    random->state = old * MULTIPLIER + (random->increment | 1);
    uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return shifted >> turn | shifted << ((32 - turn) & 31);
}

void bks_random_seed(bks_random *random, uint64_t seed, uint64_t stream)
{
    BKSI_REFUSE_NULL_OR(, random);
    random->state = 0;
    random->increment = stream << 1 | 1;
    next(random);
    random->state += seed;
    next(random);
}

uint32_t bks_random_next(bks_random *random)
{
    BKSI_REFUSE_NULL_OR(0, random);
    return next(random);
}

/// Return a random number below `bound`. Numbers below 2^32 mod bound are dropped, as in
/// pcg32_boundedrand_r(), because otherwise low results would be more likely. Every machine must
/// drop the same numbers.
static uint32_t below(bks_random *random, uint32_t bound)
{
    uint32_t threshold = (0u - bound) % bound;
    for (;;) {
        uint32_t number = next(random);
        if (number >= threshold) {
            return number % bound;
        }
    }
}

uint32_t bks_random_below(bks_random *random, uint32_t bound)
{
    BKSI_REFUSE_NULL_OR(0, random);
    if (bound == 0) {
        bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_random_below", "bound",
                  "bound is 0, must be at least 1");
        return 0;
    }
    return below(random, bound);
}

int32_t bks_random_between(bks_random *random, int32_t least, int32_t greatest)
{
    BKSI_REFUSE_NULL_OR(least, random);
    if (least > greatest) {
        bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_random_between", "least",
                  "least is %d, must be at most %d", least, greatest);
        return least;
    }
    // The full range of int32_t has 2^32 numbers, which a 32-bit bound cannot hold.
    uint32_t span = (uint32_t)greatest - (uint32_t)least + 1;
    uint32_t above = span == 0 ? next(random) : below(random, span);
    return (int32_t)((int64_t)least + above);
}
