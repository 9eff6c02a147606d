// SPDX-License-Identifier: MIT

/// @file report.h
/// Report of a match for `bks lab` and `bks play`: one JSON object with `--json`, else a table for
/// people.
///
///     report_peer peer = {.allocations_after_start = -1};
///     report_peer_collect(bks_match_peer(match), &peer);
///     const report_match report = {.game = "duel", .peers = &peer, .peer_count = 1, …};
///     report_print_json(&report, stdout);

#ifndef BKS_TOOL_REPORT_H
#define BKS_TOOL_REPORT_H

#include <string.h>

#include "backstitch/toolkit/lab.h"
#include "backstitch/toolkit/peer.h"
#include "base/json.h"

/// Packets from one peer to another, and the round trip between them.
typedef struct report_link {
    bool is_known;    ///< true: the link is measured; false: JSON has null
    uint64_t packets; ///< number of packets sent
    uint64_t bytes;   ///< bytes sent, including 28 for the IP and UDP headers of each packet
    /// Mean round trip of the packets that arrived. Below 0: none arrived, and JSON has null.
    double round_trip_ms_mean;
} report_link;

/// Figures of one peer of a match.
typedef struct report_peer {
    uint32_t id;           ///< number of the peer; 0 is the host
    uint32_t first_player; ///< first seat of the peer
    uint32_t player_count; ///< number of seats of the peer
    bks_tick ticks;        ///< number of ticks that the peer stepped
    bks_tick confirmed;    ///< number of ticks whose inputs are known for all players
    bks_stats stats;       ///< statistics of the peer from the first tick on
    bks_costs costs;       ///< costs of operations; all 0 if the peer had no clock to measure them
    double first_tick_ms;  ///< time from the earliest peer's first tick to this peer's
    /// Allocations after the first tick. -1: they were not counted, and JSON has null.
    int64_t allocations_after_start;
    uint64_t work_ns_sum;             ///< modelled cost of all operations; 0: JSON has null
    uint64_t work_ns_max;             ///< greatest modelled cost of one update
    report_link links[BKS_PEERS_MAX]; ///< packets and round trips to each peer
    bks_lab_finding desync;           ///< desync that this peer found by itself
} report_peer;

/// First difference of states that should have been the same.
typedef struct report_desync {
    bks_tick tick; ///< first tick whose states differ
    /// Tick at which the first peer noticed the difference. BKS_TICK_NONE: no peer did.
    bks_tick found_at_tick;
    uint32_t peer_count; ///< number of peers in `peers`
    /// Peers whose state differs from the majority's, or on a tie from the host's.
    uint32_t peers[BKS_PEERS_MAX];
    const char *mark;   ///< mark at which the states begin to differ; NULL: not known
    const char *object; ///< object that differs; NULL: no object, field or name is known
    const char *field;
    const char *name;                  ///< object and field together, such as `ships[2].x`
    const char *note;                  ///< remark to print after the name; may be empty
    const char *values[BKS_PEERS_MAX]; ///< value in each peer's state; NULL: not known
} report_desync;

/// Verdict of the oracle that finds nothing wrong.
#define REPORT_ORACLE_GOOD "good"

/// Results of a match, to be reported.
typedef struct report_match {
    const char *game;      ///< name of the game
    const char *mode;      ///< mode of the match: `rollback` or `lockstep`
    uint64_t seed;         ///< seed of the match
    bks_tick ticks;        ///< length of the match in ticks
    uint32_t tick_rate_hz; ///< tick rate of the match
    double virtual_s;      ///< time from the first tick to the end, on the match's own clock
    double wall_s;         ///< real time of the match, including connecting
    bool is_agreed;        ///< true: every peer compared every hash, and all were the same
    const char *reason;    ///< sentence that says why is_agreed is false; may be NULL
    /// Verdict of the oracle: "good", or a description of the fault. NULL: the oracle was not
    /// asked.
    const char *oracle;
    bks_tick compared;    ///< number of ticks whose hashes all peers compared
    bool has_final_hash;  ///< true: `final_hash` is valid; false: JSON has null
    uint64_t final_hash;  ///< hash of the state after the last tick
    double connect_ms;    ///< time that connecting took, until the first tick
    bool has_desync;      ///< true: `desync` is filled in
    report_desync desync; ///< first desync; valid if has_desync
    /// Number of sides into which the match split. Below 2: no split, and JSON has null.
    uint32_t side_count;
    uint32_t sides[BKS_PEERS_MAX]; ///< peers of each side, one bit for each peer
    const bks_repair *repairs;     ///< repairs of states; may be NULL
    uint32_t repair_count;         ///< number of repairs in `repairs`
    const bks_lab_count *faults;   ///< counts of faults that fired; may be NULL
    uint32_t fault_count;          ///< number of counts in `faults`
    /// Counts of each kind of moment in the match. NULL: take them from the peers' statistics.
    const bks_lab_count *moments;
    uint32_t moment_count;                  ///< number of counts in `moments`
    const bks_lab_flip_result *flips;       ///< results of planted flips; may be NULL
    uint32_t flip_count;                    ///< number of results in `flips`
    const bks_lab_bulk_result *bulk;        ///< results of streams; may be NULL
    uint32_t bulk_count;                    ///< number of results in `bulk`
    const bks_lab_watcher_result *watchers; ///< results of watchers; may be NULL
    uint32_t watcher_count;                 ///< number of results in `watchers`
    const report_peer *peers;               ///< peers that this process runs
    uint32_t peer_count;                    ///< number of peers in `peers`
} report_match;

/// Fill in the figures that a peer knows: all except first_tick_ms and allocations_after_start.
/// @return true on success
bool report_peer_collect(bks_peer *peer, report_peer *out);

/// Copy a finding into a report: the peers that differ, the names and the values. The report then
/// has pointers into the finding.
/// @param self  peer that found the desync
void report_finding_fill(const bks_lab_finding *finding, uint32_t self, report_desync *out);

/// Write the figures of a peer as an object in the open array.
void report_peer_json(json *j, const report_peer *peer);

/// Return true if the match split into several sides.
static inline bool report_is_split(const report_match *match)
{
    return match->side_count > 1;
}

/// Return true if the oracle finds nothing wrong. If the oracle was not asked, return true if all
/// peers agree and the match did not split.
static inline bool report_is_good(const report_match *match)
{
    return match->oracle != NULL ? strcmp(match->oracle, REPORT_ORACLE_GOOD) == 0
                                 : match->is_agreed && !report_is_split(match);
}

/// Write the sides of a split as text: "0 1 | 2 3".
void report_print_sides(const report_match *match, FILE *out);

/// Write the result of a stream as text: "0>1: 65536 bytes in 1.82 s, 28.9 % of the rate".
void report_print_stream(const bks_lab_bulk_result *stream, FILE *out);

/// Write the report as one JSON object.
/// @return true if the whole object was written
bool report_print_json(const report_match *match, FILE *out);

/// Write a summary for people. The summary of a match with a single peer leaves out the network.
void report_print_text(const report_match *match, FILE *out, bool has_colour);

/// Return the duration in microseconds that `share` (0..1) of the updates did not exceed, estimated
/// from the histogram; 0: no update was measured.
double report_update_us(const bks_costs *costs, double share);

/// Return the time that the library took for each tick, without the game, in microseconds.
double report_library_us_per_tick(const report_peer *peer);

#endif
