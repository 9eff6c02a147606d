// SPDX-License-Identifier: MIT

/// @file judge_parts.h
/// What the files behind judge.h share:
///   judge.c           runs a match and judges it
///   judge_outlook.c   what may be expected of it, from its faults alone
///   judge_straight.c  its inputs, played straight
///   judge_recording.c recordings of all its peers
///   judge_find.c      notes what any of them finds wrong

#ifndef BKS_TOOL_JUDGE_PARTS_H
#define BKS_TOOL_JUDGE_PARTS_H

#include "lab/judge.h"
#include "lab/lab_internal.h"

/// What may be expected of a match. Times are after its first tick.
typedef struct judge_outlook {
    bool has_heal;
    bool may_part;                 ///< somebody may be let go: crashed, or silent for long
    uint32_t leavers;              ///< bits: they say goodbye, and may be let go for it
    uint64_t over_ns;              ///< from here on no fault is a reason to wait for anybody
    uint64_t silence_ns;           ///< all that faults may silence peers for, together
    uint32_t apart[BKS_PEERS_MAX]; ///< by peer: bits of those it cannot talk to at the end
} judge_outlook;

/// @param match_ns  its length; faults beyond it never end
/// @param late_ns   the longest that a packet may be under way
judge_outlook judge_look_out(const bks_lab_timed *faults, uint32_t count, uint32_t peers,
                             uint64_t match_ns, uint64_t late_ns);

/// Note what is wrong. Only the worst is told, of equals the first.
void judge_find(judge_verdict *verdict, judge_kind kind, bks_tick tick, const char *format, ...)
    BKS_PRINTF(4, 5);

/// Compare every peer with the same inputs played straight, by one peer with all seats; from where
/// somebody left its view on, that one's are neutral.
/// @param until  last tick to compare
void judge_straight(const judge_match *match, const bks_lab *lab, bks_tick until,
                    judge_verdict *verdict);

#endif
