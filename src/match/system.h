// SPDX-License-Identifier: MIT

/// @file system.h
/// What a match takes from the machine it runs on: time, sleep and chance.
/// One file for each kind of system has it.

#ifndef BKSI_SYSTEM_H
#define BKSI_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "backstitch/base.h"

#define BKSI_NS_PER_MS 1000000u

/// Nanoseconds on a clock that never goes back and that no one sets.
uint64_t bksi_clock_ns(void);

/// Sleep. A signal may end it early.
void bksi_sleep_ns(uint64_t duration_ns);

/// What the clock on the wall says.
bool bksi_local_time(struct tm *out);

/// By which the system knows this process.
intmax_t bksi_process_number(void);

/// Bytes that no one can guess, 1..256.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_system_random(void *out, size_t count, bks_error *error);

#endif
