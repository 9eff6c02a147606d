// SPDX-License-Identifier: MIT

#include <stdarg.h>
#include <stdio.h>

#include "lab/judge_parts.h"

void judge_find(judge_verdict *verdict, judge_kind kind, bks_tick tick, const char *format, ...)
{
    if (kind <= verdict->kind) {
        return;
    }
    verdict->kind = kind;
    verdict->tick = tick;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(verdict->why, sizeof(verdict->why), format, arguments);
    va_end(arguments);
}
