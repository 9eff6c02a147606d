// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_mathematics.h"

#include <dlfcn.h>

// A function for each type.
#define FORMS(NAME) NAME, NAME "f", NAME "l"

// All of libm, the complex functions too, but for those that are exact or rounded as IEEE 754 says:
// sqrt, fma, fmod, remainder, rounding, and those that take numbers apart.
const char *const check_mathematics_names[CHECK_MATHEMATICS] = {
    FORMS("sin"),       FORMS("cos"),     FORMS("tan"),     FORMS("sincos"), FORMS("asin"),
    FORMS("acos"),      FORMS("atan"),    FORMS("atan2"),   FORMS("sinh"),   FORMS("cosh"),
    FORMS("tanh"),      FORMS("asinh"),   FORMS("acosh"),   FORMS("atanh"),  FORMS("exp"),
    FORMS("exp2"),      FORMS("exp10"),   FORMS("expm1"),   FORMS("log"),    FORMS("log2"),
    FORMS("log10"),     FORMS("log1p"),   FORMS("pow"),     FORMS("cbrt"),   FORMS("hypot"),
    FORMS("erf"),       FORMS("erfc"),    FORMS("lgamma"),  FORMS("tgamma"), FORMS("gamma"),
    FORMS("j0"),        FORMS("j1"),      FORMS("jn"),      FORMS("y0"),     FORMS("y1"),
    FORMS("yn"),        FORMS("sinpi"),   FORMS("cospi"),   FORMS("tanpi"),  FORMS("asinpi"),
    FORMS("acospi"),    FORMS("atanpi"),  FORMS("atan2pi"), FORMS("exp2m1"), FORMS("exp10m1"),
    FORMS("log2p1"),    FORMS("log10p1"), FORMS("logp1"),   FORMS("pown"),   FORMS("powr"),
    FORMS("compoundn"), FORMS("rootn"),   FORMS("rsqrt"),   FORMS("cabs"),   FORMS("carg"),
    FORMS("csqrt"),     FORMS("cexp"),    FORMS("clog"),    FORMS("clog10"), FORMS("cpow"),
    FORMS("csin"),      FORMS("ccos"),    FORMS("ctan"),    FORMS("casin"),  FORMS("cacos"),
    FORMS("catan"),     FORMS("csinh"),   FORMS("ccosh"),   FORMS("ctanh"),  FORMS("casinh"),
    FORMS("cacosh"),    FORMS("catanh"),  "lgamma_r",       "lgammaf_r",     "lgammal_r",
};

void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS])
{
    for (uint32_t i = 0; i < CHECK_MATHEMATICS; i++) {
        const void *function = dlsym(RTLD_DEFAULT, check_mathematics_names[i]);
        Dl_info library;
        out[i] = function != NULL && dladdr(function, &library) != 0
                     ? (uint64_t)((uintptr_t)function - (uintptr_t)library.dli_fbase)
                     : 0;
    }
}
