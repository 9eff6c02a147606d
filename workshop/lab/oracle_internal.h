// SPDX-License-Identifier: MIT

/// @file oracle_internal.h
/// What the files behind oracle.h share:
///   oracle.c              runs a match and checks it
///   oracle_expectation.c  what may be expected of it, from its faults alone; notes what is wrong
///   oracle_reference.c    its inputs, stepped by one peer alone, and the cues heard
///   oracle_policy.c       what it does once states differ
///   oracle_recording.c    recordings of all its peers
///   oracle_rate.c         the rate that it can be played at

#ifndef BKSI_ORACLE_INTERNAL_H
#define BKSI_ORACLE_INTERNAL_H

#include "backstitch/toolkit/oracle.h"
#include "lab/cue_log.h"
#include "lab/lab_internal.h"

/// Note what is wrong. The worst is kept, of equals the first.
void bksi_oracle_find(bks_oracle_verdict *verdict, bks_oracle_kind kind, bks_tick tick,
                      const char *format, ...) BKS_PRINTF(4, 5);

/// What the peers of a match hear of cues, by peer.
typedef struct oracle_cues {
    bksi_cue_log logs[BKS_PEERS_MAX];
} oracle_cues;

/// Have a lab that is about to be created report cues. With a game that names no cues nothing is
/// reported.
void bksi_oracle_hear_cues(oracle_cues *cues, bks_lab_config *config);
void bksi_oracle_forget_cues(oracle_cues *cues);

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

// ---- recordings ----

/// Make a match record all its peers, with details that the seed draws, and note its inputs.
/// @param config  of the match; its sources, recordings and their detail are set
/// @return NULL without memory
oracle_recordings *bksi_oracle_recordings_open(const bks_oracle_match *match,
                                               bks_lab_config *config);
void bksi_oracle_recordings_close(oracle_recordings *recordings);

/// Close the recordings of all peers that did not crash. What follows reads them.
void bksi_oracle_recordings_finish(const bks_lab *lab);

/// The final input of a player in the recording of a peer.
/// @return whether it is there
bool bksi_oracle_recordings_input(const oracle_recordings *recordings, uint32_t peer,
                                  uint32_t player, bks_tick tick, int32_t *values);

/// Hold every recording against what was played.
/// @param lie      the first tick of which a peer sent two different inputs, BKS_TICK_NONE: none
/// @param planted  the first tick at which states were made to differ, BKS_TICK_NONE: none
void bksi_oracle_recordings_compare(oracle_recordings *recordings, const bks_lab *lab, bks_tick lie,
                                    bks_tick planted, bks_oracle_verdict *verdict);

/// Of all bytes recorded.
uint64_t bksi_oracle_recordings_digest(const oracle_recordings *recordings);

// ---- rate ----

/// Whether a peer cannot keep the rate over perfect links: with a fixed delay and window that are
/// shorter than what inputs take. Then all wait for it.
/// @param playing  bits of the peers that play
bool bksi_oracle_is_tight(const bks_lab *lab, const bks_lab_expectation *expected, uint32_t index,
                          uint32_t playing);

/// Whether nothing but links that carry it is wrong with a match.
bool bksi_oracle_is_calm(const bks_lab *lab);

/// A match without faults is played at its rate, whatever its links are, as far as they can carry
/// it.
void bksi_oracle_judge_rate(const bks_lab *lab, const bks_lab_result *result,
                            bks_oracle_verdict *verdict);

// ---- policy ----

/// A match does on a desync what its policy says, and nothing without one. In matches in which a
/// member forges nothing is said of it: it may end them, and have states repaired.
void bksi_oracle_judge_policy(const bks_lab *lab, const bks_lab_result *result,
                              bks_oracle_verdict *verdict);

/// The last tick up to which a peer must have the states of the reference, as far as flips and
/// repairs go: one that neither flipped nor was given another's state must have all.
/// @param until  the last tick that counts for all
bks_tick bksi_oracle_sound_until(const bks_lab *lab, uint32_t index, bks_tick until);

#endif
