// SPDX-License-Identifier: MIT

/// @file lab_links.h
/// The links between the peers of a lab.

#ifndef BKSI_LAB_LINKS_H
#define BKSI_LAB_LINKS_H

#include "lab/lab_internal.h"

/// Make the links of all pairs that have none of their own, in place of those that are there.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_links_set(bks_lab *lab, const bks_lab_link_spec *spec, bks_error *error);

/// Make links again that faults will make wider than they were made for. Before the match.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_lab_links_fit(bks_lab *lab, bks_error *error);

void bksi_lab_links_destroy(bks_lab *lab);

/// Every link is perfect from now on.
void bksi_lab_links_heal(bks_lab *lab);

/// What a fault says of a pair's links takes effect.
/// @return whether it had one
bool bksi_lab_links_change(bks_lab *lab, const bks_lab_timed *fault);

#endif
