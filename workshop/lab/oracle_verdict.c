// SPDX-License-Identifier: MIT

#include <stdarg.h>
#include <stdio.h>

#include "lab/oracle_internal.h"

void bksi_oracle_find(bks_oracle_verdict *verdict, bks_oracle_kind kind, bks_tick tick,
                      const char *format, ...)
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
