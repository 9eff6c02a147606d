// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_mathematics.h"

#include <dlfcn.h>

const char *const check_mathematics_names[CHECK_MATHEMATICS] = {
    "sin",  "cos",   "tan",  "sincos",  "atan",  "atan2", "exp",  "exp2",
    "log",  "log2",  "pow",  "sinf",    "cosf",  "tanf",  "expf", "exp2f",
    "logf", "log2f", "powf", "sincosf", "exp10", "cbrt",  "asin", "acos",
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
