// SPDX-License-Identifier: MIT
//
// Variants that need what Linux alone has, and what a variant for `bks doctor` sets.

#include "diagnose/processes/check_mathematics.h"
#include "diagnose/variants/vary_cpu.h"
#include "diagnose/variants/vary_defined.h"

#include <string.h>

#include "diagnose/processes/check_guest.h"

const char *vary_defined_why_not(const check_guest *guest)
{
    (void)guest;
    return "not on Windows: there is no valgrind";
}

void vary_defined_prepare(check_guest *guest)
{
    (void)guest;
}

void vary_defined_step(check_guest *guest, bks_tick tick)
{
    check_guest_step(guest, tick);
}

void vary_defined_marked(check_guest *guest, bks_tick tick, const char *mark)
{
    (void)guest, (void)tick, (void)mark;
}

const char *vary_cpu_why_not(const check_guest *guest)
{
    (void)guest;
    return "not on Windows: its C library has one form of its mathematics";
}

void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS])
{
    memset(out, 0, CHECK_MATHEMATICS * sizeof(*out));
}
