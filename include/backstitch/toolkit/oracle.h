// SPDX-License-Identifier: MIT

/// @file toolkit/oracle.h Oracle: play a match in the lab and judge it. `bks sweep` and `bks lab
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
/// reports a desync falsely or exceeds a limit such as the window; every peer's recording, even
/// that of a peer that crashes or leaves, holds the inputs of that peer's view and says how it
/// ends; and the same match run again is the same match. A desync that was planted (`flip`, `lie`)
/// must be found. Every match must also be alive: it reaches its end; if a fault `heal@TIME` is
/// planted, every peer advances at full rate from 2 seconds after it; and streams between peers
/// that stay never stop. Watchers must have the states of their sources, must not wait without a
/// reason, and must not change the match: it is run again without them.
///
/// Thread rule: two matches may run on two threads at the same time.

#ifndef BACKSTITCH_TOOLKIT_ORACLE_H
#define BACKSTITCH_TOOLKIT_ORACLE_H

#include "backstitch/toolkit/links.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of fault that the oracle finds, from the mildest to the worst.
typedef enum bks_oracle_kind {
    BKS_ORACLE_GOOD, ///< the oracle found no fault
    /// The match is not alive: some peer does not reach the end or advances too slowly.
    BKS_ORACLE_DEAD,
    BKS_ORACLE_UNSAFE, ///< the match is not safe: for instance two peers confirm different inputs
    BKS_ORACLE_VARIES, ///< the match differs when it is run again
    /// A signal ended the process that ran the match; for callers that run each match in a process
    /// of its own.
    BKS_ORACLE_KILLED,
} bks_oracle_kind;

/// Match to run. Start from {0} and bks_lab_config_default().
typedef struct bks_oracle_match {
    /// Config of the match; its clock, allocation count and recordings are ignored: all peers
    /// record to memory, with contents that the seed chooses.
    bks_lab_config config;
    const char *const *links;    ///< specs of links, as bks_lab_link() reads them, may be NULL
    uint32_t link_count;         ///< length of `links`
    const char *const *faults;   ///< specs of faults, as bks_lab_fault() reads them, may be NULL
    uint32_t fault_count;        ///< length of `faults`
    const char *const *streams;  ///< specs of streams, as bks_lab_bulk() reads them, may be NULL
    uint32_t stream_count;       ///< length of `streams`
    const char *const *watchers; ///< specs of watchers, as bks_lab_watch() reads them, may be NULL
    uint32_t watcher_count;      ///< length of `watchers`
    /// True if the sources depend on seat and tick alone, unlike a bot, which depends on the state.
    /// Hashes are then also compared with the reference.
    bool is_scripted;
    bool is_repeated; ///< true: run the match twice and compare the runs
    /// Callback before each run, which makes all sources begin at tick 0 again; NULL: the sources
    /// keep no state.
    void (*rewind)(void *context);
    void *rewind_context; ///< passed to `rewind`
} bks_oracle_match;

/// Verdict on a match. Plain data.
typedef struct bks_oracle_verdict {
    bks_oracle_kind kind; ///< the worst fault found
    /// One sentence about the fault, "" when there is none.
    char why[256];
    /// Last tick at which the fault shows, BKS_TICK_NONE when that is not known.
    bks_tick tick;
    /// Digest of everything that must be equal when the same match is run again in this process.
    uint64_t digest;
    uint64_t recorded;     ///< digest of all recorded bytes, peer by peer
    double peer_hours;     ///< hours of virtual time played, times the number of peers
    bks_lab_result result; ///< result of the first run
} bks_oracle_verdict;

/// Run a match and judge it. Allocates memory for the match, its recordings and inputs, once or
/// twice, and frees it before it returns.
/// @param out    receives the verdict; untouched when no match was run
/// @param error  may be NULL
/// @return BKS_OK when a match was run, whatever the verdict; BKS_ERR_BAD_ARGUMENT,
///         BKS_ERR_BAD_CONFIG, BKS_ERR_UNSUPPORTED (a fault) or BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status bks_oracle_run(const bks_oracle_match *match, bks_oracle_verdict *out,
                                        bks_error *error);

/// Expectations of a match, derived from its faults alone. Times count from the match's first tick.
typedef struct bks_lab_expectation {
    bool has_heal; ///< true if a `heal` is planted
    /// True if a peer may be dropped, because it crashes or is silent for long.
    bool may_part;
    /// One bit for each peer that says goodbye or forges, and so may be dropped.
    uint32_t leavers;
    /// Time after which no fault is a reason to wait for a peer, in ns.
    uint64_t over_ns;
    uint64_t silence_ns; ///< longest total time for which faults may silence peers, in ns
    /// By peer: one bit for each other peer that it cannot talk to at the end.
    uint32_t apart[BKS_PEERS_MAX];
} bks_lab_expectation;

/// Properties of a match, besides its faults, that its expectations depend on.
typedef struct bks_lab_terms {
    uint32_t peers; ///< number of peers, 1..BKS_PEERS_MAX
    /// Length of the match in ns; a fault that lasts longer counts as never ending.
    uint64_t match_ns;
    uint64_t late_ns;       ///< longest time that a packet may be under way, in ns
    uint64_t drop_after_ns; ///< bks_tuning.drop_after_ms, in ns, above 0
} bks_lab_terms;

/// Work out what to expect of a match.
/// @param faults  may be NULL when count is 0
/// @param count   length of `faults`, at most BKS_LAB_TIMED_MAX
/// @param terms   not NULL
/// @param out     receives the expectations
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bks_lab_expect(const bks_lab_timed *faults, uint32_t count, const bks_lab_terms *terms,
                          bks_lab_expectation *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TOOLKIT_ORACLE_H
