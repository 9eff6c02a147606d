// SPDX-License-Identifier: MIT

/// @file judge.h
/// Whether a match in the lab went as every match must: first safe, then alive.
///
/// Safe: no two peers confirm a tick with different inputs or publish different hashes, every hash
/// is that of the same inputs played straight by one peer alone, nobody gives a false alarm of a
/// desync, nobody breaks a promise such as to keep to the window; every peer's recording, of those
/// too who crash or leave, holds what the players of that peer's view did and says how it ends; and
/// the same match run again is the same match. A desync that was planted (`flip`, `lie`) must be
/// there and be found.
///
/// Alive: the match comes to its end, and where a `heal@TIME` is planted, everyone advances at full
/// rate from 2 seconds after it.

#ifndef BKS_TOOL_JUDGE_H
#define BKS_TOOL_JUDGE_H

#include "backstitch/lab.h"
#include "game/source.h"

/// What can be wrong, the worst last.
typedef enum judge_kind {
    JUDGE_GOOD,
    JUDGE_DEAD,   ///< not alive
    JUDGE_UNSAFE, ///< not safe
    JUDGE_VARIES, ///< not the same match when run again
    JUDGE_KILLED, ///< a signal ended it
} judge_kind;

/// A match to be judged.
typedef struct judge_match {
    bks_lab_config config; ///< its recordings are not used: all peers record to memory
    source_set *sources;   ///< behind config.sources
    const args_list *links;
    const args_list *faults;
    bool is_twice; ///< run it again and compare
} judge_match;

/// What came of it. Plain data, for memory shared between processes.
typedef struct judge_verdict {
    judge_kind kind;
    char why[256];     ///< one sentence, "" when good
    bks_tick tick;     ///< the failure shows up to here, BKS_TICK_NONE when that is not known
    uint64_t digest;   ///< of everything that is the same in the same match, in this process
    uint64_t recorded; ///< digest of all bytes recorded, peer by peer
    double peer_hours;
    bks_lab_result result;
} judge_verdict;

/// Run and judge.
/// @return whether there was a match; when not, its config was refused and `why` says how
bool judge_run(const judge_match *match, judge_verdict *out);

#endif
