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
    bksi_input_stream streams[BKS_PLAYERS_MAX]; ///< by player: what its inputs are encoded by
} session_runs;

/// The match begins with this tick.
void bksi_runs_begin(session_runs *runs, bks_tick first);
/// Append one tick's inputs of a peer's players; marks it wrong when it was stepped with others.
void bksi_runs_append(session_runs *runs, session_common *common, uint32_t peer,
                      const uint8_t *inputs);
/// Write a run of a peer's inputs from `first` to before `until`, or to where it is full.
void bksi_runs_write(const session_common *common, bksi_bit_writer *writer, uint32_t peer,
                     bks_tick first, bks_tick until);
/// Read a run; what is new and before `limit` is taken (0: nothing is).
/// @return false when the bits are no run
bool bksi_runs_read(session_runs *runs, session_common *common, bksi_bit_reader *reader,
                    uint32_t peer, bks_tick limit);
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
bool bksi_runs_read_inputs(session_runs *runs, session_common *common, bksi_bit_reader *reader,
                           uint32_t peer, bks_tick first, uint32_t count, bks_tick limit);
/// The same of inputs that are encoded by what was learnt of the players.
bool bksi_runs_decode(session_runs *runs, session_common *common, bksi_range_decoder *decoder,
                      uint32_t peer, bks_tick first, uint32_t count, bks_tick limit);

#endif
