// SPDX-License-Identifier: MIT

/// @file timer_windows.h
/// Precise time on Windows: Sleep() and select() are as coarse as the system's tick, 15.6 ms.

#ifndef BKSI_TIMER_WINDOWS_H
#define BKSI_TIMER_WINDOWS_H

#include <stdint.h>

/// Return nanoseconds of a clock that never goes back and cannot be set.
uint64_t bksi_timer_now_ns(void);

/// Start a timer to wait for once. It has high resolution if the system offers it (Windows 10,
/// 1803), otherwise it is a plain timer.
/// @return a HANDLE for CloseHandle(); NULL on failure
void *bksi_timer_start(uint64_t duration_ns);

/// Sleep at least `duration_ns` by a timer of bksi_timer_start(), or by the system's tick if there
/// is none.
void bksi_timer_sleep(uint64_t duration_ns);

#endif
