// SPDX-License-Identifier: MIT

/// @file judge_recording.h
/// Recordings of all peers of a match, in memory, held against what was played: against the inputs
/// that the players of each peer's own view gave, and the hashes that it published.

#ifndef BKS_TOOL_JUDGE_RECORDING_H
#define BKS_TOOL_JUDGE_RECORDING_H

#include "lab/judge_parts.h"

/// What all peers of a match record, and what every seat really gave. Opaque.
typedef struct judge_tapes judge_tapes;

/// Make a match record all its peers, with details that the seed draws, and note its inputs.
/// @param config  of the match; its sources, recordings and their detail are set
/// @return NULL without memory
judge_tapes *judge_tapes_begin(const judge_match *match, bks_lab_config *config);
void judge_tapes_end(judge_tapes *tapes);

/// Close the recordings of all peers that did not crash, and hold every one against what was
/// played.
/// @param lie      the first tick of which a peer told two stories, BKS_TICK_NONE: none
/// @param planted  the first tick at which states were made to differ, BKS_TICK_NONE: none
void judge_tapes_compare(judge_tapes *tapes, const bks_lab *lab, bks_tick lie, bks_tick planted,
                         judge_verdict *verdict);

/// Of all bytes recorded.
uint64_t judge_tapes_digest(const judge_tapes *tapes);

#endif
