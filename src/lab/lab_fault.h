// SPDX-License-Identifier: MIT

/// @file lab_fault.h
/// Planted faults, read as text. Times are of virtual time,
/// from the match's first tick on.

#ifndef BKSI_LAB_FAULT_H
#define BKSI_LAB_FAULT_H

#include "backstitch/lab_parts.h"

/// The modelled cost of a step is this share of a tick's length while a peer is slow, times the
/// factor; at all other times it is nothing.
#define BKSI_LAB_STEP_SHARE 8u

/// Read the faults of a spec as bks_lab_faults_parse(), of arguments that are right.
bks_status bksi_lab_faults_read(const bks_lab_config *config, const char *spec,
                                bks_lab_faults *faults, bks_error *error);

#endif
