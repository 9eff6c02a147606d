// SPDX-License-Identifier: MIT

/// @file lab_watch.h
/// What must hold after every update, and moments counted.

#ifndef BKSI_LAB_WATCH_H
#define BKSI_LAB_WATCH_H

#include "lab/lab_internal.h"

/// What a peer was like before an update.
typedef struct lab_before {
    bks_tick tick;
    bks_tick confirmed;
    bks_tick published;
    uint32_t delay;
} lab_before;

lab_before bksi_lab_watch_before(const lab_peer *peer);

/// Check what must hold, count moments, take over hashes.
void bksi_lab_watch_after(bks_lab *lab, uint32_t index, const lab_before *before);

/// Count an event of a peer, and see whether it is true.
void bksi_lab_watch_event(bks_lab *lab, uint32_t index, const bks_event *event);

/// Check that a peer does not ask for immediate updates without end.
void bksi_lab_watch_wake(bks_lab *lab, uint32_t index);

/// Count the moments of a crash, which is about to happen now.
void bksi_lab_watch_crash(bks_lab *lab, uint32_t index);

/// How often a moment came.
uint64_t bksi_lab_moment(const bks_lab *lab, lab_moment moment);

#endif
