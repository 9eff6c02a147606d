// SPDX-License-Identifier: MIT

/// @file stepping.h
/// Observation of what another thread is stepping; bks_stepping() answers for the calling thread
/// only.

#ifndef BKSI_STEPPING_H
#define BKSI_STEPPING_H

#include "backstitch/base.h"

/// Place where a thread stores the runner that it is stepping.
typedef const struct bksi_runner *const volatile *bksi_stepping_place;

/// Return the place of the calling thread. The place exists as long as the thread.
bksi_stepping_place bksi_stepping_here(void);

/// Return the tick that the thread of a place is stepping. The thread must stand still during the
/// call.
/// @return BKS_TICK_NONE if there is none
bks_tick bksi_stepping_tick(bksi_stepping_place place);

#endif
