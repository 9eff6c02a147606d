// SPDX-License-Identifier: MIT

/// @file stepping.h
/// Observation of what another thread is stepping; bks_stepping() answers for the calling thread
/// only.

#ifndef BKSI_STEPPING_H
#define BKSI_STEPPING_H

#include "backstitch/base.h"

/// Address at which a thread stores the runner that it is stepping.
typedef const struct bksi_runner *const volatile *bksi_stepping_place;

/// Return the address at which the calling thread stores its runner. It is valid as long as the
/// thread lives.
bksi_stepping_place bksi_stepping_here(void);

/// Return the tick that the thread of `place` is stepping. The thread must be stopped during the
/// call.
/// @return the tick; BKS_TICK_NONE if the thread is stepping no runner
bks_tick bksi_stepping_tick(bksi_stepping_place place);

#endif
