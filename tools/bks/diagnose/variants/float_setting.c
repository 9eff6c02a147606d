// SPDX-License-Identifier: MIT

#include "diagnose/variants/float_setting.h"

#if defined(__x86_64__)

#include <fenv.h>
#include <x86intrin.h>

enum {
    SSE_FLUSHES = 0x8040, // FTZ and DAZ
    X87_24_BITS = 0x007f,
};

bool float_setting_is_possible(void)
{
    return true;
}

void float_setting_choose(uint32_t which)
{
    static const int roundings[FLOAT_SETTINGS] = {FE_UPWARD,    FE_DOWNWARD,  FE_TOWARDZERO,
                                                  FE_TONEAREST, FE_TONEAREST, FE_UPWARD};
    const uint32_t setting = which % FLOAT_SETTINGS;
    (void)fesetround(roundings[setting]);
    if (setting == 3 || setting == 5) {
        _mm_setcsr(_mm_getcsr() | SSE_FLUSHES);
    }
    if (setting == 4) {
        const uint16_t word = X87_24_BITS;
        __asm__ volatile("fldcw %0" : : "m"(word));
    }
}

void float_setting_clear(void)
{
    (void)fesetenv(FE_DFL_ENV);
}

#else

bool float_setting_is_possible(void)
{
    return false;
}

void float_setting_choose(uint32_t which)
{
    (void)which;
}

void float_setting_clear(void)
{
}

#endif
