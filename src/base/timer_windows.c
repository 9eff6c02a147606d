// SPDX-License-Identifier: MIT

#include "base/timer_windows.h"

#include <stddef.h>
#include <windows.h>

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
/// Unit of a Windows timer, in ns.
#define NS_PER_UNIT 100u
/// Longest wait in timer units, more than 29 000 years; longer waits are cut.
#define UNITS_MAX (UINT64_MAX / 20)

uint64_t bksi_timer_now_ns(void)
{
    LARGE_INTEGER frequency, now;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    const uint64_t rate = (uint64_t)frequency.QuadPart;
    const uint64_t count = (uint64_t)now.QuadPart;
    return count / rate * NS_PER_S + count % rate * NS_PER_S / rate;
}

void *bksi_timer_start(uint64_t duration_ns)
{
    const DWORD access = SYNCHRONIZE | TIMER_MODIFY_STATE;
    HANDLE timer =
        CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, access);
    if (timer == NULL) {
        timer = CreateWaitableTimerExW(NULL, NULL, 0, access);
    }
    if (timer == NULL) {
        return NULL;
    }
    uint64_t units = duration_ns / NS_PER_UNIT + (duration_ns % NS_PER_UNIT != 0);
    units = units < UNITS_MAX ? units : UNITS_MAX;
    const LARGE_INTEGER due = {.QuadPart = -(LONGLONG)units}; // a negative time is relative to now
    if (!SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE)) {
        (void)CloseHandle(timer);
        return NULL;
    }
    return timer;
}

void bksi_timer_sleep(uint64_t duration_ns)
{
    HANDLE timer = bksi_timer_start(duration_ns);
    if (timer != NULL) {
        (void)WaitForSingleObject(timer, INFINITE);
        (void)CloseHandle(timer);
        return;
    }
    const uint64_t whole_ms = duration_ns / NS_PER_MS + (duration_ns % NS_PER_MS != 0);
    Sleep((DWORD)(whole_ms < INFINITE ? whole_ms : INFINITE - 1));
}
