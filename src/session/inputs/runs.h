// SPDX-License-Identifier: MIT

/// @file runs.h
/// Runs of a peer's inputs in messages, and how they come into the timelines.

#ifndef BKSI_RUNS_H
#define BKSI_RUNS_H

#include "base/bits.h"
#include "base/range_coder.h"
#include "input/input_stream.h"
#include "session/common/common.h"

typedef struct session_runs {
    const bksi_layout *layout;
    bksi_input_stream streams[BKS_PLAYERS_MAX]; ///< by player: what its inputs are encoded by
    /// By peer, by leaver: the first tick of the leaver's inputs that the peer lacks, as it said.
    bks_tick lacks[BKS_PEERS_MAX][BKS_PEERS_MAX];
} session_runs;

/// The match begins with this tick.
void bksi_runs_begin(session_runs *runs, bks_tick first);
/// Append one tick's inputs of a peer's players; marks it wrong when it was stepped with others.
void bksi_runs_append(session_runs *runs, bksi_rollback *engine, const session_peer *peer,
                      const uint8_t *inputs);
/// A peer has a leaver's inputs before a tick.
void bksi_runs_note_lacking(session_runs *runs, uint32_t peer, uint32_t leaver, bks_tick head);
/// Write a run of each leaver of a mask: what one peer lacks of it, up to its end.
void bksi_runs_write_lacking(const session_runs *runs, const session_common *common,
                             bksi_bit_writer *writer, uint32_t to, uint32_t leavers,
                             const bks_tick *ends);
/// Read a run of each peer of a mask; take the inputs that are new and before its limit (0: none).
/// A peer that others send inputs of is not heard by that.
/// @return false when the bits are no runs
bool bksi_runs_read_of(session_runs *runs, bksi_rollback *engine, const session_seats *seats,
                       bksi_bit_reader *reader, uint32_t peers, const bks_tick *limits);
/// What peers learn of each other's inputs to encode them by.
bks_status bksi_runs_create(session_runs *runs, const bksi_layout *layout, uint32_t players,
                            const bks_allocator *allocator);
void bksi_runs_destroy(session_runs *runs, const bks_allocator *allocator);
/// Our inputs of a tick were sampled.
void bksi_runs_sampled(session_runs *runs, const session_common *common);
/// Whether our inputs from `first` on can be encoded by what was learnt, and that pays.
bool bksi_runs_pays_to_encode(session_runs *runs, const session_common *common, uint32_t to_peer,
                              bks_tick first);
void bksi_runs_encode(const session_runs *runs, const session_common *common,
                      bksi_range_encoder *encoder, bks_tick first, bks_tick until);
/// Write plain inputs from `first` to before `until`, oldest first, until it is full.
/// @return ticks written
uint32_t bksi_runs_write_inputs(const session_common *common, bksi_bit_writer *writer,
                                uint32_t peer, uint32_t to_peer, bks_tick first, bks_tick until);
/// Read plain inputs: those already known are read over, those from `limit` on left. A message
/// without new ones is not looked at.
bool bksi_runs_read_inputs(session_runs *runs, bksi_rollback *engine, bksi_bit_reader *reader,
                           const session_peer *peer, bks_tick first, uint32_t count,
                           bks_tick limit);
/// The same of inputs that are encoded by what was learnt of the players.
bool bksi_runs_decode(session_runs *runs, bksi_rollback *engine, bksi_range_decoder *decoder,
                      const session_peer *peer, bks_tick first, uint32_t count, bks_tick limit);

#endif
