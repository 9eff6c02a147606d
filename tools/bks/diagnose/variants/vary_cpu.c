// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_cpu.h"

#include "diagnose/processes/check_imports.h"
#include "diagnose/processes/check_mathematics.h"

const char *vary_cpu_why_not(const variant_process *variant)
{
    bool is_called[CHECK_MATHEMATICS];
    uint64_t here[CHECK_MATHEMATICS];
    bool calls_any = false;
    bool differs = false;
    check_imports_of(variant->stepper.game.path, check_mathematics_names, CHECK_MATHEMATICS,
                     is_called);
    check_mathematics_find(here);
    for (uint32_t i = 0; i < CHECK_MATHEMATICS; i++) {
        calls_any |= is_called[i];
        // Not of those alone that are called: some are one function that calls forms of another.
        differs |= here[i] != variant->tape->mathematics[i];
    }
    return !calls_any ? "neither the plug-in nor a library that it needs calls mathematics of the "
                        "C library (sin, exp, pow and kin)"
           : !differs ? "the C library has one form of its mathematics on this processor"
                      : NULL;
}
