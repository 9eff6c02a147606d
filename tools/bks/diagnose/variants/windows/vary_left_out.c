// SPDX-License-Identifier: MIT
//
// Variants that need what Linux alone has, and what a variant for `bks doctor` sets.

#include "diagnose/processes/check_mathematics.h"
#include "diagnose/variants/vary_cpu.h"
#include "diagnose/variants/vary_defined.h"

#include <string.h>

#include "diagnose/processes/variant_process.h"

const char *vary_defined_why_not(const variant_process *variant)
{
    (void)variant;
    return "not on Windows: there is no valgrind";
}

void vary_defined_prepare(variant_process *variant)
{
    (void)variant;
}

void vary_defined_step(variant_process *variant, bks_tick tick)
{
    variant_step(variant, tick);
}

void vary_defined_marked(variant_process *variant, bks_tick tick, const char *mark)
{
    (void)variant, (void)tick, (void)mark;
}

const char *vary_cpu_why_not(const variant_process *variant)
{
    (void)variant;
    return "not on Windows: its C library has one form of its mathematics";
}

void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS])
{
    memset(out, 0, CHECK_MATHEMATICS * sizeof(*out));
}
