// SPDX-License-Identifier: MIT

/// @file lab_fault.h
/// Planted faults, read as text. Times are of virtual time,
/// from the match's first tick on.

#ifndef BKSI_LAB_FAULT_H
#define BKSI_LAB_FAULT_H

#include "backstitch/toolkit/links.h"

/// The modelled cost of a step is this share of a tick's length while a peer is slow, times the
/// factor; at all other times it is nothing.
#define BKSI_LAB_STEP_SHARE 8u

#endif
