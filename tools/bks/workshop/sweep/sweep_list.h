// SPDX-License-Identifier: MIT

/// @file sweep_list.h
/// Rows that `bks sweep --each` prints, one for each seed. Their figures are the same in every
/// sweep of the same game, so that two versions of the library can be compared packet by packet.
/// Several processes fill the list in shared memory, and it is printed in order of seeds.

#ifndef BKS_TOOL_SWEEP_LIST_H
#define BKS_TOOL_SWEEP_LIST_H

#include "backstitch/toolkit/oracle.h"
#include "base/json.h"

/// Figures of one seed.
typedef struct sweep_row {
    bool is_there;
    bool has_final_hash;
    uint64_t final_hash;
    uint64_t ticks; ///< number of ticks stepped, summed over all peers, without resimulated ones
    uint64_t packets;
    uint64_t bytes;         ///< number of bytes in all packets
    uint64_t packet_digest; ///< digest of all packets of the match
    /// Digest of all recordings of the match. It differs from build to build, because recordings
    /// hold the build id.
    uint64_t recording_digest;
} sweep_row;

typedef struct sweep_list {
    uint64_t first; ///< seed of the first row
    uint64_t count;
    sweep_row *rows; ///< rows in memory shared with processes started later; NULL: not open
} sweep_list;

/// Create the list for the seeds first..last.
/// @return ARGS_GO, or an exit status, with an error on stderr
int sweep_list_open(uint64_t first, uint64_t last, sweep_list *out);
void sweep_list_close(sweep_list *list);

/// Record the verdict on a seed in the list. Any process of the sweep may do so.
void sweep_list_note(const sweep_list *list, uint64_t seed, const bks_oracle_verdict *verdict);

/// Print the rows up to a seed, as lines or as an array in JSON.
void sweep_list_print(const sweep_list *list, uint64_t last);
void sweep_list_json(const sweep_list *list, uint64_t last, json *out);

#endif
