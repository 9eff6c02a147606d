// SPDX-License-Identifier: MIT

/// @file system.h
/// Time, sleep and random numbers of the system, implemented in one file for each system.

#ifndef BKSI_SYSTEM_H
#define BKSI_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "backstitch/base.h"

#define BKSI_NS_PER_MS 1000000u

/// Get the time of a clock that never goes back and cannot be set, in ns.
uint64_t bksi_clock_ns(void);

/// Sleep. A signal may end it early.
void bksi_sleep_ns(uint64_t duration_ns);

/// Get the local time of day.
bool bksi_local_time(struct tm *out);

/// Get the system's id of this process.
intmax_t bksi_process_number(void);

/// Get the system's id of the calling thread, as debuggers show it. Never 0.
intmax_t bksi_thread_number(void);

/// Draw 1..256 unpredictable bytes.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_system_random(void *out, size_t count, bks_error *error);

#endif
