// SPDX-License-Identifier: MIT

/// @file lab_bulk.h
/// Streams of bytes that a lab's peers write to each other beside the match (bks_lab_bulk()).

#ifndef BKSI_LAB_BULK_H
#define BKSI_LAB_BULK_H

#include "lab/lab_internal.h"

/// A peer writes what is due and reads what came, after its update and before it sends.
void bksi_lab_bulk_run(bks_lab *lab, uint32_t peer);

#endif
