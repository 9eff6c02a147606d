// SPDX-License-Identifier: MIT

// The system's uptime decides.

#include <stddef.h>
#include <stdint.h>
#include <sys/times.h>

static __attribute__((noinline)) int64_t hour_now(void)
{
    return (int64_t)times(NULL) / 360000;
}

#include "planted_hours.h"

PLANTED_HOURS("clock_times");
