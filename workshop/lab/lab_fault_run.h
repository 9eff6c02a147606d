// SPDX-License-Identifier: MIT

/// @file lab_fault_run.h
/// What planted faults do while a match runs, and the clocks that they set wrong.

#ifndef BKSI_LAB_FAULT_RUN_H
#define BKSI_LAB_FAULT_RUN_H

#include "lab/lab_internal.h"

/// A time of the lab on a peer's own clock, and the first time of the lab at which a peer's clock
/// shows at least `peer_ns`.
uint64_t bksi_lab_to_peer_time(const lab_peer *peer, uint64_t lab_ns);
uint64_t bksi_lab_from_peer_time(const lab_peer *peer, uint64_t peer_ns);

/// A peer's wall clock, by which its costs are measured. `context` is the lab_peer.
uint64_t bksi_lab_peer_clock(void *context);

/// All faults are known: the match begins.
void bksi_lab_faults_begin(bks_lab *lab);

/// When the next fault begins, UINT64_MAX when none is left or the first tick is not stepped yet.
uint64_t bksi_lab_faults_next(const bks_lab *lab);

/// It begins now.
void bksi_lab_faults_act(bks_lab *lab);

/// A peer that is leaving says goodbye now.
void bksi_lab_say_goodbye(lab_peer *peer);

/// Whether a packet that sets out now is lost to a fault.
bool bksi_lab_faults_block(bks_lab *lab, uint32_t from, uint32_t to);

/// How much longer a peer's steps take now, in thousandths; 0: it is not slow. Called for a step.
uint64_t bksi_lab_faults_slowness(bks_lab *lab, uint32_t index);

/// How many faults of a kind really had an effect.
uint64_t bksi_lab_faults_fired(const bks_lab *lab, bks_lab_fault_kind kind);

#endif
