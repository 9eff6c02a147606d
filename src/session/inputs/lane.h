// SPDX-License-Identifier: MIT

/// @file lane.h
/// Lanes: one more stream of bytes to and from each other peer (net/bulk.h) for bursts of commands,
/// in games that have commands.
///
/// The bytes of a burst travel ahead of the ticks that take them, in pieces, each packed by itself
/// (input/burst_packer.h). Once all other members have acknowledged pieces of our lane, a tick of
/// ours takes them: instead of bytes its blob has the number of the plain bytes that follow in the
/// lane. So no tick waits for a burst, and whoever leaves, all members have the bytes that any of
/// its ticks takes. The order of a player's commands stays: while the lane has bytes of a player
/// that no tick has taken, its later commands wait or follow in the lane. One local player at a
/// time uses the lane.
///
/// The wait for a member ends when the member acknowledges the bytes or is out of the view.
/// Received pieces stay packed in the receive buffer until a tick takes them, also after their
/// sender has left. Only lane.c changes session_lane; other files use its functions.

#ifndef BKSI_LANE_H
#define BKSI_LANE_H

#include "input/burst_packer.h"
#include "session/bulk/bulk_streams.h"

/// Maximum number of bytes under way to a peer, and received and not yet taken.
#define BKSI_LANE_BYTES 65536u

/// Maximum number of pieces that no tick of ours has taken, a power of two. If there are as many,
/// further commands wait for one piece.
#define BKSI_LANE_PIECES 16u

/// Piece of our lane that no tick has taken.
typedef struct session_lane_piece {
    uint64_t end;   ///< number of bytes in the lane up to its end
    uint32_t plain; ///< number of plain bytes
} session_lane_piece;

/// Buffers of the lanes.
typedef struct session_lane_buffers {
    uint8_t plain[BKSI_BLOB_BYTES_MAX]; ///< bytes of the newest tick that took any
    uint8_t piece[BKSI_PIECE_HEAD_BYTES + BKSI_PIECE_BYTES_MAX];
} session_lane_buffers;

typedef struct session_lane {
    session_bulk_streams streams; ///< without streams the game has no commands
    const session_seats *seats;
    session_lane_buffers *buffers;
    bksi_burst_packer packer;
    uint32_t owner;    ///< local player, from 0, whose commands the lane has, or had last
    uint64_t appended; ///< number of bytes that were appended to our lane
    session_lane_piece pieces[BKSI_LANE_PIECES]; ///< ring
    uint32_t taken;                              ///< number of pieces that ticks have taken; wraps
    uint32_t packed;                             ///< number of pieces that were appended; wraps
} session_lane;

/// Create the lanes. Nothing is allocated if the game has no commands.
/// @param seats  must outlive the lanes
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (bksi_lane_destroy() frees what is there)
bks_status bksi_lane_create(session_lane *lane, const bks_session_config *config,
                            const session_seats *seats);
void bksi_lane_destroy(session_lane *lane, const bks_allocator *allocator);

/// Put commands that wait for a tick into the lane, in pieces, if they are a burst, and note which
/// pieces have arrived. Call at each update of a match that runs and has commands.
/// @param inline_bytes  most bytes that a queue may hold without using the lane
/// @param detours, held  as for bksi_bulk_streams_update()
/// @return bits: peers to which bytes of the lane are on their way
uint32_t bksi_lane_update(session_lane *lane, session_common *common, uint32_t inline_bytes,
                          uint32_t detours, uint32_t held);

/// Take the bytes of a tick's blobs that travelled ahead of it. Call for each tick once, in order.
/// @param blobs  one entry for each player of the peer; receives the bytes, which are valid until
///               the next call
/// @return false if some of them have not come, cannot be unpacked or are not whole pieces: an
///   honest peer names none of these
bool bksi_lane_take(session_lane *lane, const session_peer *peer, bksi_blob *blobs);

#endif
