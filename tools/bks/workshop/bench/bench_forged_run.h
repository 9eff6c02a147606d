// SPDX-License-Identifier: MIT

/// @file bench_forged_run.h
/// A match of two peers on virtual time into which forged packets are thrown.

#ifndef BKS_BENCH_FORGED_RUN_H
#define BKS_BENCH_FORGED_RUN_H

#include "backstitch/peer.h"

/// What is thrown.
typedef enum forged_kind {
    FORGED_MADE_UP,       ///< 40 random bytes that look sealed
    FORGED_MADE_UP_LONG,  ///< 1200 of them
    FORGED_CUT,           ///< a packet of the match that ends too early
    FORGED_FLIPPED,       ///< one with a bit changed
    FORGED_REPLAYED,      ///< one that came before
    FORGED_REFLECTED,     ///< one back to its sender
    FORGED_CALL,          ///< a first message of somebody without the key
    FORGED_CALL_LONG,     ///< the same, longer than any first message
    FORGED_CALL_REPLAYED, ///< the first message that began the match
    FORGED_KINDS
} forged_kind;

/// How it went. Times are of the processor, for this thread.
typedef struct forged_result {
    uint64_t packets;             ///< thrown
    uint64_t count[FORGED_KINDS]; ///< of each kind
    double ns[FORGED_KINDS];      ///< spent on each kind
    uint64_t taken;               ///< by a peer
    uint64_t answered;            ///< packets to strangers
    uint64_t allocations;         ///< from the first tick of the attack to its last
    int64_t memory_bytes; ///< written to, more at its end than at its beginning; -1: unknown
    uint64_t log_lines;   ///< of the library meanwhile
    uint32_t ticks;       ///< that the attack lasted
    uint32_t ticks_late;  ///< whose work, attack included, took longer than a tick
    double tick_ms_max;   ///< the longest
    uint64_t hashes[2];   ///< of the state at the end, by peer
    uint64_t steps;       ///< and resimulated ticks, of both
    uint64_t sent;        ///< packets, of both
} forged_result;

/// Play a match.
/// @param packets  to throw, 0: a match of `ticks` ticks without any
/// @param ticks    0: the ticks that the packets take
/// @return TOOL_OK, TOOL_DAMAGED (with an error on stderr)
int forged_run(const bks_game *game, uint64_t packets, uint32_t ticks, forged_result *out);

#endif
