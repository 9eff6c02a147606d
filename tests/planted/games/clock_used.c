// SPDX-License-Identifier: MIT

// The processor time used decides.

#include <stdint.h>
#include <time.h>

static __attribute__((noinline)) int64_t hour_now(void)
{
    return (int64_t)clock() / CLOCKS_PER_SEC / 3600;
}

#include "planted_hours.h"

PLANTED_HOURS("clock_used");
