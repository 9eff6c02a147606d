// SPDX-License-Identifier: MIT

/// @file oracle_internal.h
/// Functions that the files of the oracle share:
///   oracle.c              runs a match and checks it
///   oracle_expectation.c  expectations of a match from its faults alone; verdicts
///   oracle_reference.c    the same inputs stepped by one peer alone, and the cues of both
///   oracle_policy.c       actions of a match after a desync
///   oracle_recording.c    recordings of all peers
///   oracle_rate.c         rate at which a match can be played

#ifndef BKSI_ORACLE_INTERNAL_H
#define BKSI_ORACLE_INTERNAL_H

#include "backstitch/toolkit/oracle.h"
#include "lab/cue_log.h"
#include "lab/lab_internal.h"

/// Record a fault in the verdict. The worst one counts, of equally bad ones the first.
void bksi_oracle_fail(bks_oracle_verdict *verdict, bks_oracle_kind kind, bks_tick tick,
                      const char *format, ...) BKS_PRINTF(4, 5);

/// Cues that the peers of a match reported, by peer.
typedef struct oracle_cues {
    bksi_cue_log logs[BKS_PEERS_MAX];
} oracle_cues;

/// Set up the config of a lab so that it reports cues. Nothing is reported if the game names no
/// cues.
void bksi_oracle_cues_open(oracle_cues *cues, bks_lab_config *config);
void bksi_oracle_cues_close(oracle_cues *cues);

/// Recordings of all peers of a match, and the inputs that each seat really gave. Opaque.
typedef struct oracle_recordings oracle_recordings;

/// Compare every peer with the reference: the same inputs stepped by one peer with all seats. The
/// inputs of a peer that left the view are neutral from there on. Of the two inputs of an
/// equivocation the reference steps the one that the peer holds.
/// @param recordings  recordings of the match, finished
/// @param cues        cues that the peers reported
/// @param until       last tick to compare; for a peer whose state flipped or was repaired the last
///                    tick before that
void bksi_oracle_compare_reference(const bks_oracle_match *match, const bks_lab *lab,
                                   const oracle_recordings *recordings, oracle_cues *cues,
                                   bks_tick until, bks_oracle_verdict *verdict);

// ---- recordings ----

/// Set up a match to record all its peers, with details that the seed draws, and to store its
/// inputs.
/// @param config  config of the match; its sources, recordings and their detail are set
/// @return NULL: out of memory
oracle_recordings *bksi_oracle_recordings_open(const bks_oracle_match *match,
                                               bks_lab_config *config);
void bksi_oracle_recordings_close(oracle_recordings *recordings);

/// Close the recordings of all peers that did not crash. The calls below need that.
void bksi_oracle_recordings_finish(const bks_lab *lab);

/// Read the final input of a player from the recording of a peer.
/// @return true if the recording has it
bool bksi_oracle_recordings_input(const oracle_recordings *recordings, uint32_t peer,
                                  uint32_t player, bks_tick tick, int32_t *values);

/// Compare every recording with the match.
/// @param lie      first tick of which a peer sent two different inputs; BKS_TICK_NONE: none
/// @param planted  first tick at which states were made to differ; BKS_TICK_NONE: none
void bksi_oracle_recordings_compare(oracle_recordings *recordings, const bks_lab *lab, bks_tick lie,
                                    bks_tick planted, bks_oracle_verdict *verdict);

/// Return a digest of all recorded bytes.
uint64_t bksi_oracle_recordings_digest(const oracle_recordings *recordings);

// ---- rate ----

/// Return true if a peer cannot keep the rate over perfect links, because its fixed delay and
/// window are shorter than the time that inputs take. All peers wait for such a peer.
/// @param playing  peers that play, as bits
bool bksi_oracle_is_tight(const bks_lab *lab, const bks_lab_expectation *expected, uint32_t index,
                          uint32_t playing);

/// Return true if a match has no faults but bad links that can carry it.
bool bksi_oracle_is_calm(const bks_lab *lab);

/// Check that a match without faults kept its rate, as far as its links can carry it.
void bksi_oracle_judge_rate(const bks_lab *lab, const bks_lab_result *result,
                            bks_oracle_verdict *verdict);

// ---- policy ----

/// Check that a match did on a desync what its policy says, and nothing without a desync. A match
/// with a forger is not checked: a forger may end it, and have states repaired.
void bksi_oracle_judge_policy(const bks_lab *lab, const bks_lab_result *result,
                              bks_oracle_verdict *verdict);

/// Return the last tick up to which a peer must have the states of the reference: all of them,
/// unless its state flipped or was replaced in a repair.
/// @param until  last tick that counts for all peers
bks_tick bksi_oracle_sound_until(const bks_lab *lab, uint32_t index, bks_tick until);

#endif
