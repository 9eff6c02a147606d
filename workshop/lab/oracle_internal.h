// SPDX-License-Identifier: MIT

/// @file oracle_internal.h
/// What the files behind oracle.h share:
///   oracle.c              runs a match and checks it
///   oracle_expectation.c  what may be expected of it, from its faults alone
///   oracle_reference.c    its inputs, stepped by one peer alone
///   oracle_cues.c         what its peers hear of cues
///   oracle_policy.c       what it does once states differ
///   oracle_recording.c    recordings of all its peers
///   oracle_rate.c         the rate that it can be played at
///   oracle_verdict.c      notes what any of them finds wrong

#ifndef BKSI_ORACLE_INTERNAL_H
#define BKSI_ORACLE_INTERNAL_H

#include "backstitch/toolkit/oracle.h"
#include "lab/cue_log.h"
#include "lab/lab_internal.h"

/// Note what is wrong. The worst is kept, of equals the first.
void bksi_oracle_find(bks_oracle_verdict *verdict, bks_oracle_kind kind, bks_tick tick,
                      const char *format, ...) BKS_PRINTF(4, 5);

/// Most cues of a tick that a match is checked by.
#define BKSI_ORACLE_CUES_PER_TICK 256u

/// What the peers of a match hear of cues, by peer.
typedef struct oracle_cues {
    bksi_cue_log logs[BKS_PEERS_MAX];
} oracle_cues;

/// Have a lab that is about to be created report cues. With a game that names no cues nothing is
/// reported.
void bksi_oracle_hear_cues(oracle_cues *cues, bks_lab_config *config);
void bksi_oracle_forget_cues(oracle_cues *cues);
/// Compare what a peer heard with what the reference did.
/// @param until  last tick to compare
void bksi_oracle_compare_cues(oracle_cues *cues, const oracle_cues *reference, const bks_lab *lab,
                              uint32_t index, bks_tick until, bks_oracle_verdict *verdict);

/// What all peers of a match record, and what every seat really gave. Opaque.
typedef struct oracle_recordings oracle_recordings;

/// Compare every peer with the reference: the same inputs stepped by one peer with all seats; from
/// where a peer left the view on, its inputs are neutral. Of the two inputs of an equivocation it
/// steps the one that the peer holds.
/// @param recordings  finished
/// @param cues        what the peers heard
/// @param until       last tick to compare; of a peer whose state flipped or was repaired the last
///                    one before that
void bksi_oracle_compare_reference(const bks_oracle_match *match, const bks_lab *lab,
                                   const oracle_recordings *recordings, oracle_cues *cues,
                                   bks_tick until, bks_oracle_verdict *verdict);

#endif
