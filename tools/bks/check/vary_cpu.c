// SPDX-License-Identifier: MIT

#include "check/vary_cpu.h"

#include "check/check_guest.h"
#include "check/check_imports.h"
#include "check/check_mathematics.h"

const char *vary_cpu_why_not(const check_guest *guest)
{
    const uint64_t called =
        check_imports_of(guest->side.game.path, check_mathematics_names, CHECK_MATHEMATICS);
    uint64_t here[CHECK_MATHEMATICS];
    bool differs = false;
    check_mathematics_find(here);
    for (uint32_t i = 0; i < CHECK_MATHEMATICS; i++) {
        differs |= (called >> i & 1) != 0 && here[i] != guest->tape->mathematics[i];
    }
    return called == 0 ? "the plug-in calls no mathematics of the C library (sin, exp, pow and kin)"
           : !differs  ? "the C library has one form of what the plug-in calls on this processor"
                       : NULL;
}

void vary_cpu_step(check_guest *guest, bks_tick tick)
{
    check_guest_step(guest, tick);
    guest->tape->result.perturbed++;
}
