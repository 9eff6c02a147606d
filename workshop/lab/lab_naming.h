// SPDX-License-Identifier: MIT

/// @file lab_naming.h
/// What the first states that differ between two peers differ in, and what a flip hits, by name.

#ifndef BKSI_LAB_NAMING_H
#define BKSI_LAB_NAMING_H

#include "lab/lab_internal.h"

/// Take the memory for names, when config.history_bytes ask for them. The peers are there.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, or why a game to step again cannot be made
bks_status bksi_lab_naming_create(bks_lab *lab, bks_error *error);
void bksi_lab_naming_destroy(bks_lab *lab);

/// After an update of a peer: name where it differs from the others.
void bksi_lab_naming_watch(bks_lab *lab, uint32_t index);

/// Fill in the flips, and the names of the difference that `out` has the tick and the peers of.
void bksi_lab_naming_fill(const bks_lab *lab, bks_lab_result *out);

#endif
