// SPDX-License-Identifier: MIT

#include "base/processors.h"

#include <windows.h>

static DWORD_PTR all;

void processors_keep(void)
{
    DWORD_PTR of_system = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &all, &of_system)) {
        all = 0;
    }
}

bool processors_use(bool is_one, bool others)
{
    (void)others; // all threads of the process at once
    const DWORD_PTR first = all & (~all + 1);
    return all != first && SetProcessAffinityMask(GetCurrentProcess(), is_one ? first : all);
}
