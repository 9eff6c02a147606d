// SPDX-License-Identifier: MIT

#include "workshop/sweep/sweep_chance.h"

uint32_t draw_between(bks_random *random, uint32_t low, uint32_t high)
{
    return low + bks_random_below(random, high - low + 1);
}

uint32_t draw_mostly_low(bks_random *random, uint32_t low, uint32_t high)
{
    const uint32_t once = draw_between(random, low, high);
    const uint32_t again = draw_between(random, low, high);
    return once < again ? once : again;
}

bool draw_chance(bks_random *random, uint32_t percent)
{
    return bks_random_below(random, 100) < percent;
}
