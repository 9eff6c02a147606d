// SPDX-License-Identifier: MIT
//
// A game's own clock is not shifted: a DLL does not call it by way of the program.

#include "base/clock_shift.h"

void clock_shift_stand(int64_t us)
{
    (void)us;
}

void clock_shift_real(clockid_t clock, struct timespec *out)
{
    (void)clock_gettime(clock, out);
}
