// SPDX-License-Identifier: MIT

/// @file timer_windows.h
/// Time on Windows, for what waits there: Sleep() and select() are as coarse as the system's tick,
/// 15.6 ms.

#ifndef BKSI_TIMER_WINDOWS_H
#define BKSI_TIMER_WINDOWS_H

#include <stdint.h>

/// Nanoseconds on a clock that never goes back and that no one sets.
uint64_t bksi_timer_now_ns(void);

/// A timer that has been started, to be waited for once: of the high resolution where the system
/// has it (Windows 10, 1803), else a plain one.
/// @return a HANDLE, to be closed by CloseHandle(); NULL: there is none
void *bksi_timer_start(uint64_t duration_ns);

/// Sleep by such a timer, or where there is none by the system's tick; never shorter.
void bksi_timer_sleep(uint64_t duration_ns);

#endif
