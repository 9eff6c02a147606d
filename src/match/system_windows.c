// SPDX-License-Identifier: MIT

#include "match/system.h"

#include <windows.h>
// ntsecapi.h needs windows.h first.
#include <ntsecapi.h>

#include "base/report.h"
#include "base/timer_windows.h"

uint64_t bksi_clock_ns(void)
{
    return bksi_timer_now_ns();
}

void bksi_sleep_ns(uint64_t duration_ns)
{
    bksi_timer_sleep(duration_ns);
}

bool bksi_local_time(struct tm *out)
{
    const time_t now = time(NULL);
    return localtime_s(out, &now) == 0;
}

intmax_t bksi_process_number(void)
{
    return (intmax_t)GetCurrentProcessId();
}

intmax_t bksi_thread_number(void)
{
    return (intmax_t)GetCurrentThreadId();
}

bks_status bksi_system_random(void *out, size_t count, bks_error *error)
{
    if (!RtlGenRandom(out, (ULONG)count)) {
        return bksi_fail(error, BKS_ERR_IO, "match.random", NULL,
                         "the system gives no random numbers");
    }
    return BKS_OK;
}
