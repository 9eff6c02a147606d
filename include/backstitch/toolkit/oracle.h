// SPDX-License-Identifier: MIT

/// @file toolkit/oracle.h
/// Oracle: play a match in the lab and say what is wrong with it. `bks sweep` and `bks lab
/// --strict` use it, and a game's own tests can.
///
///     bks_oracle_match match = {.config = bks_lab_config_default(), .is_scripted = true};
///     const char *links[] = {"delay=50ms,loss=2%"}, *faults[] = {"crash=1@5s,heal@6s"};
///     match.config.game = &tag;
///     match.links = links, match.link_count = 1;
///     match.faults = faults, match.fault_count = 1;
///     bks_oracle_verdict verdict;
///     if (bks_oracle_run(&match, &verdict, &error) != BKS_OK) …       // no match: a bad config
///     if (verdict.kind != BKS_ORACLE_GOOD) puts(verdict.why);
///
/// Every match must be safe: no two peers confirm a tick with different inputs or publish different
/// hashes; every hash is that of the reference, the same inputs stepped by one peer alone; no peer
/// raises a false alarm of a desync or exceeds a limit such as the window; every peer's recording,
/// also of a peer that crashes or leaves, holds the inputs of that peer's view and says how it
/// ends; and the same match run again is the same match. A desync that was planted (`flip`, `lie`)
/// must be found. And it must be alive: it reaches its end, and where a fault `heal@TIME` is
/// planted, everyone advances at full rate from 2 seconds after it, and streams between peers that
/// stay never stop.
///
/// Thread rule: two matches may be run on two threads.

#ifndef BACKSTITCH_TOOLKIT_ORACLE_H
#define BACKSTITCH_TOOLKIT_ORACLE_H

#include "backstitch/toolkit/links.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Faults that the oracle finds, the worst last.
typedef enum bks_oracle_kind {
    BKS_ORACLE_GOOD,   ///< nothing
    BKS_ORACLE_DEAD,   ///< not alive
    BKS_ORACLE_UNSAFE, ///< not safe
    BKS_ORACLE_VARIES, ///< not the same match when run again
    BKS_ORACLE_KILLED, ///< a signal ended it; for callers that give each match a process of its own
} bks_oracle_kind;

/// A match to be run. Start from {0} and bks_lab_config_default().
typedef struct bks_oracle_match {
    bks_lab_config config;      ///< config of the match; its clock, allocation count and recordings
                                ///< are not used: all peers record to memory, with details that the
                                ///< seed draws
    const char *const *links;   ///< specs as bks_lab_link() takes them, may be NULL
    uint32_t link_count;        ///< length of `links`
    const char *const *faults;  ///< specs as bks_lab_fault() takes them, may be NULL
    uint32_t fault_count;       ///< length of `faults`
    const char *const *streams; ///< specs as bks_lab_bulk() takes them, may be NULL
    uint32_t stream_count;      ///< length of `streams`
    bool is_scripted; ///< the sources depend on seat and tick alone and never on the state
                      ///< (as a bot does): hashes are also compared with the reference
    bool is_repeated; ///< run it again and compare
    void (*rewind)(void *context); ///< lets all sources begin at tick 0 again, called before each
                                   ///< run; NULL: they keep nothing
    void *rewind_context;          ///< handed to rewind
} bks_oracle_match;

/// Verdict on a match. Plain data.
typedef struct bks_oracle_verdict {
    bks_oracle_kind kind;  ///< the worst that was found
    char why[256];         ///< one sentence, "" when good
    bks_tick tick;         ///< tick up to which the fault shows, BKS_TICK_NONE when that is not
                           ///< known
    uint64_t digest;       ///< digest of everything that is the same in the same match, in this
                           ///< process
    uint64_t recorded;     ///< digest of all bytes recorded, peer by peer
    double peer_hours;     ///< virtual time that was played, times peers
    bks_lab_result result; ///< result of the first run
} bks_oracle_verdict;

/// Run a match and check it. Takes the memory of the match, its recordings and inputs, once or
/// twice, and frees it before it returns.
/// @param out    receives what came of it; untouched when there was no match
/// @param error  may be NULL
/// @return BKS_OK when there was a match, whatever is wrong with it; BKS_ERR_BAD_ARGUMENT,
///         BKS_ERR_BAD_CONFIG, BKS_ERR_UNSUPPORTED (a fault) or BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_oracle_run(const bks_oracle_match *match, bks_oracle_verdict *out,
                                        bks_error *error);

/// Expectations of a match, from its faults alone. Times are after its first tick.
typedef struct bks_lab_expectation {
    bool has_heal;                 ///< there is a `heal`
    bool may_part;                 ///< a peer may be dropped: crashed, or silent for long
    uint32_t leavers;              ///< bits: they say goodbye or forge, and may be dropped
    uint64_t over_ns;              ///< time from which on no fault is a reason to wait for a peer
    uint64_t silence_ns;           ///< all that faults may silence peers for, together
    uint32_t apart[BKS_PEERS_MAX]; ///< bits of the peers that each peer cannot talk to at the end
} bks_lab_expectation;

/// Terms of a match, beside its faults.
typedef struct bks_lab_terms {
    uint32_t peers;         ///< 1..BKS_PEERS_MAX
    uint64_t match_ns;      ///< length of the match; faults beyond it never end
    uint64_t late_ns;       ///< the longest that a packet may be under way
    uint64_t drop_after_ns; ///< silence after which a peer is dropped, above 0
} bks_lab_terms;

/// Work out what to expect of a match.
/// @param faults  may be NULL when there are none
/// @param count   length of faults, at most BKS_LAB_TIMED_MAX
/// @param terms   not NULL
/// @param out     receives it
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_expect(const bks_lab_timed *faults, uint32_t count, const bks_lab_terms *terms,
                          bks_lab_expectation *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_ORACLE_H
