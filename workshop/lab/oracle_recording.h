// SPDX-License-Identifier: MIT

/// @file oracle_recording.h
/// Recordings of all peers of a match, in memory, held against what was played: against the inputs
/// that the players of each peer's own view gave, and the hashes that it published.

#ifndef BKSI_ORACLE_RECORDING_H
#define BKSI_ORACLE_RECORDING_H

#include "lab/oracle_internal.h"

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

#endif
