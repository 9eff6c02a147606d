// SPDX-License-Identifier: MIT

/// @file lab_compare.h
/// The hashes that peers confirmed, compared within each view.

#ifndef BKSI_LAB_COMPARE_H
#define BKSI_LAB_COMPARE_H

#include "backstitch/toolkit/links.h"

/// The last tick up to which two peers must have the same: everyone who left before it left at the
/// same tick in both their views. INT32_MAX: they are in one view.
bks_tick bksi_lab_same_until(const bks_roster *a, const bks_roster *b);

/// As bks_lab_compare(), of arguments that are right.
bks_lab_comparison bksi_lab_compare_stories(const bks_lab_story *peers, uint32_t peer_count,
                                            bks_tick ticks);

/// Take over the hashes that a session has published since.
/// @param hashes  ticks + 1 of them
/// @param count   those that are there, moves on
void bksi_lab_collect_hashes(const bks_session *session, bks_tick ticks, uint64_t *hashes,
                             bks_tick *count);

#endif
