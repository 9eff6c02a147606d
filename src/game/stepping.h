// SPDX-License-Identifier: MIT

/// @file stepping.h
/// What one thread is stepping, looked at from another; bks_stepping() answers of the thread that
/// asks alone.

#ifndef BKSI_STEPPING_H
#define BKSI_STEPPING_H

#include "backstitch/base.h"

/// Where a thread keeps what it is stepping.
typedef const struct bksi_runner *const volatile *bksi_stepping_place;

/// That of this thread. It is there as long as the thread.
bksi_stepping_place bksi_stepping_here(void);

/// The tick that is being stepped there. That thread must not run meanwhile.
/// @return BKS_TICK_NONE: none
bks_tick bksi_stepping_tick(bksi_stepping_place place);

#endif
