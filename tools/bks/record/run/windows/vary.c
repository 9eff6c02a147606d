// SPDX-License-Identifier: MIT
//
// Only `bks run --times` varies anything, and it is not here.

#include "record/run/vary.h"

const char *vary_names(void)
{
    return "nothing";
}

void vary_begin(uint32_t run)
{
    (void)run;
}

bks_tick vary_ticks_before(uint32_t run)
{
    (void)run;
    return 0;
}

bks_tick vary_ticks_behind(uint32_t run)
{
    (void)run;
    return 0;
}

void vary_stack(uint32_t run)
{
    (void)run;
}
