// SPDX-License-Identifier: MIT

/// @file lab_finding.h
/// Whether those that differ find it.

#ifndef BKSI_LAB_FINDING_H
#define BKSI_LAB_FINDING_H

#include "lab/lab_internal.h"

/// After an update of a peer: if it differs from another in its view, it must have found that once
/// it received enough.
void bksi_lab_findings_watch(bks_lab *lab, uint32_t index);

/// Whether two peers of one view confirmed different inputs of a liar. Where the true ones came
/// first, by another path, the lie had no effect.
bool bksi_lab_lie_mattered(const bks_lab *lab, uint32_t liar);

/// Whether two others confirmed different inputs since a peer forges its own.
bool bksi_lab_forgery_mattered(const bks_lab *lab, uint32_t forger);

#endif
