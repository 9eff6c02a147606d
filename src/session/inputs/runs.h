// SPDX-License-Identifier: MIT

/// @file runs.h
/// Runs of a peer's inputs: reading them from messages into the timelines, and writing them.

#ifndef BKSI_RUNS_H
#define BKSI_RUNS_H

#include "base/bits.h"
#include "base/range_coder.h"
#include "input/input_stream.h"
#include "session/common/common.h"
#include "session/inputs/lane.h"
#include "session/inputs/packed.h"

typedef struct session_runs {
    const bksi_layout *layout;
    /// By player: model that codes the player's inputs.
    bksi_input_stream streams[BKS_PLAYERS_MAX];
    session_lane lane;     ///< bytes of commands that travel ahead of their ticks
    session_packed packed; ///< commands of a game that has them
    /// By peer, then by leaver: first tick whose input of the leaver the peer lacks, as it
    /// reported.
    bks_tick lacks[BKS_PEERS_MAX][BKS_PEERS_MAX];
} session_runs;

/// Begin the match at the tick `first`.
void bksi_runs_begin(session_runs *runs, bks_tick first);
/// Append one tick's inputs of a peer's players. The tick is marked as wrong if it was stepped with
/// other inputs.
/// @param blobs  commands that bksi_blobs_open() accepts, one entry for each player; NULL:
///               none
void bksi_runs_append(session_runs *runs, bksi_rollback *engine, const session_peer *peer,
                      const uint8_t *inputs, const bksi_blob *blobs);
/// Record that a peer has a leaver's inputs before tick `head`.
void bksi_runs_note_lacking(session_runs *runs, uint32_t peer, uint32_t leaver, bks_tick head);
/// Write a run for each leaver of a mask: the inputs before the leaver's end that peer `to` lacks,
/// as many as fit a message that every path carries.
void bksi_runs_write_lacking(const session_runs *runs, const session_common *common,
                             bksi_bit_writer *writer, uint32_t to, uint32_t leavers,
                             const bks_tick *ends);
/// Read a run for each peer of a mask, and append the new inputs to the timelines. A peer does not
/// count as heard because others send its inputs.
/// @param limits  by peer: first tick whose inputs are not accepted; 0: none are accepted
/// @return false if the bits are malformed
bool bksi_runs_read_of(session_runs *runs, bksi_rollback *engine, const session_seats *seats,
                       bksi_bit_reader *reader, uint32_t peers, const bks_tick *limits);
/// Create the models that code inputs, and those for commands if the engine has commands.
/// @param locals  number of local players
bks_status bksi_runs_create(session_runs *runs, const bksi_rollback *engine, uint32_t locals);
void bksi_runs_destroy(session_runs *runs, const bks_allocator *allocator);
/// Update the model with our own inputs of the tick that was just sampled.
void bksi_runs_sampled(session_runs *runs, const session_common *common);
/// Return true if the model can code our inputs from `first` on, and in fewer bits than the plain
/// codec (input/codec.h) needs.
bool bksi_runs_pays_to_encode(session_runs *runs, const session_common *common, uint32_t to_peer,
                              bks_tick first);
void bksi_runs_encode(const session_runs *runs, const session_common *common,
                      bksi_range_encoder *encoder, bks_tick first, bks_tick until);
/// Write our own inputs of the ticks from `first` to before `until` with the plain codec
/// (input/codec.h), oldest first, until the message is full.
/// @return number of ticks written
uint32_t bksi_runs_write_inputs(const session_runs *runs, const session_common *common,
                                bksi_bit_writer *writer, uint32_t to_peer, bks_tick first,
                                bks_tick until);
/// Read a peer's inputs that were written with the plain codec (input/codec.h). Skip known inputs,
/// and ignore those from tick `limit` on. A message without new inputs is not read.
/// @return false if the bits are malformed
bool bksi_runs_read_inputs(session_runs *runs, bksi_rollback *engine, bksi_bit_reader *reader,
                           const session_peer *peer, bks_tick first, uint32_t count,
                           bks_tick limit);
/// Read inputs that the model has coded. Known inputs and `limit` are handled as in
/// bksi_runs_read_inputs().
/// @return false if the bits are malformed
bool bksi_runs_decode(session_runs *runs, bksi_rollback *engine, bksi_range_decoder *decoder,
                      const session_peer *peer, bks_tick first, uint32_t count, bks_tick limit);

#endif
