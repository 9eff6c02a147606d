// SPDX-License-Identifier: MIT

/// @file report.h
/// How a match went, as `bks lab` and `bks play` print it: one JSON object with `--json`, else a
/// table for people.
///
///     report_peer peer = {.allocations_after_start = -1};
///     report_peer_collect(bks_match_peer(match), &peer);
///     const report_match report = {.game = "duel", .peers = &peer, .peer_count = 1, …};
///     report_print_json(&report, stdout);

#ifndef BKS_TOOL_REPORT_H
#define BKS_TOOL_REPORT_H

#include "backstitch/toolkit/lab.h"
#include "backstitch/toolkit/peer.h"
#include "base/json.h"

/// What went from one peer to another, and how long the round trip took.
typedef struct report_link {
    bool is_known;             ///< false: null in JSON
    uint64_t packets;          ///< sent
    uint64_t bytes;            ///< in them, with 28 of IP and UDP each
    double round_trip_ms_mean; ///< of what arrived; below 0: nothing did, null in JSON
} report_link;

/// One peer of a match.
typedef struct report_peer {
    uint32_t id;                     ///< its number, 0 is the host
    uint32_t first_player;           ///< its first seat
    uint32_t player_count;           ///< its seats
    bks_tick ticks;                  ///< stepped
    bks_tick confirmed;              ///< ticks whose inputs are known of everyone
    bks_stats stats;                 ///< counted from the first tick
    bks_costs costs;                 ///< zero when no clock was given
    double first_tick_ms;            ///< after the earliest peer's first tick
    int64_t allocations_after_start; ///< -1: not counted, null in JSON
    uint64_t work_ns_sum; ///< what all operations cost by the lab's model; 0: null in JSON
    uint64_t work_ns_max; ///< those of one update
    report_link links[BKS_PEERS_MAX]; ///< by peer
    bks_lab_finding desync;           ///< that it found by itself
} report_peer;

/// Two states that should have been the same.
typedef struct report_desync {
    bks_tick tick;                 ///< the first whose states differ
    bks_tick found_at_tick;        ///< where the first peer noticed it; BKS_TICK_NONE: none did
    uint32_t peer_count;           ///< of `peers`
    uint32_t peers[BKS_PEERS_MAX]; ///< those that differ from the majority, on a tie from the host
    const char *mark;              ///< whose step made the difference, NULL: not known
    const char *object;            ///< NULL: none of the names is known
    const char *field;
    const char *name;                  ///< object and field together
    const char *note;                  ///< what the name does not say, may be empty
    const char *values[BKS_PEERS_MAX]; ///< by peer, NULL: not known
} report_desync;

/// A whole match.
typedef struct report_match {
    const char *game;              ///< its name
    const char *mode;              ///< "rollback" or "lockstep"
    uint64_t seed;                 ///< the match's
    bks_tick ticks;                ///< asked for
    uint32_t tick_rate_hz;         ///< ticks a second
    double virtual_s;              ///< from the first tick to the end, on the match's clock
    double wall_s;                 ///< the same on the wall, connecting included
    bool is_agreed;                ///< every peer compared every hash and all were the same
    const char *reason;            ///< one sentence when not agreed, NULL when there is none
    bks_tick compared;             ///< ticks whose hashes were compared between all peers
    bool has_final_hash;           ///< false: null in JSON
    uint64_t final_hash;           ///< of the state after the last tick
    double connect_ms;             ///< from the beginning to the first tick
    bool has_desync;               ///< whether `desync` is filled in
    report_desync desync;          ///< see there
    uint32_t side_count;           ///< sides that ended apart, less than 2: no split, null in JSON
    uint32_t sides[BKS_PEERS_MAX]; ///< bits of the peers of each
    const bks_repair *repairs;     ///< may be NULL
    uint32_t repair_count;         ///< length of it
    const bks_lab_count *faults;   ///< may be NULL
    uint32_t fault_count;          ///< length of it
    const bks_lab_count *moments;  ///< may be NULL: those every match has, with 0
    uint32_t moment_count;         ///< length of it
    const bks_lab_flip_result *flips; ///< may be NULL
    uint32_t flip_count;              ///< length of it
    const bks_lab_bulk_result *bulk;  ///< may be NULL
    uint32_t bulk_count;              ///< length of it
    const report_peer *peers;         ///< those this process knows of
    uint32_t peer_count;              ///< length of it
} report_match;

/// Fill in what a peer itself knows: all but first_tick_ms and allocations.
/// @return whether it could
bool report_peer_collect(bks_peer *peer, report_peer *out);

/// Fill in what is known of a difference beside its tick: names, values, and who stands alone. It
/// points into the finding.
/// @param self  the peer that found it
void report_finding_fill(const bks_lab_finding *finding, uint32_t self, report_desync *out);

/// Write a peer as one object of the array that is open.
void report_peer_json(json *j, const report_peer *peer);

/// Whether the match ended as several.
static inline bool report_is_split(const report_match *match)
{
    return match->side_count > 1;
}

/// Write the sides of a split as text: "0 1 | 2 3".
void report_print_sides(const report_match *match, FILE *out);

/// Write how a stream went as text: "0>1: 65536 bytes in 1.82 s, 28.9 % of the rate".
void report_print_stream(const bks_lab_bulk_result *stream, FILE *out);

/// Write the whole object.
/// @return whether all of it was written
bool report_print_json(const report_match *match, FILE *out);

/// Write a summary for people. Of a match whose only peer is this one it says nothing of a network.
void report_print_text(const report_match *match, FILE *out, bool has_colour);

/// Duration in microseconds that `share` (0..1) of the updates did not exceed, from the histogram;
/// 0 when none was measured.
double report_update_us(const bks_costs *costs, double share);

/// Microseconds a tick that were the library's and not the game's.
double report_library_us_per_tick(const report_peer *peer);

#endif
