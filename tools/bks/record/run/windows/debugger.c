// SPDX-License-Identifier: MIT

#include "record/run/debugger.h"

#include <windows.h>

bool debugger_is_there(void)
{
    return IsDebuggerPresent();
}

void debugger_stop(void)
{
    DebugBreak();
}
