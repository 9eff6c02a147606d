// SPDX-License-Identifier: MIT

#include "session/inputs/lane.h"

#include "base/memory.h"
#include "base/mutant.h"

bks_status bksi_lane_create(session_lane *lane, const bks_session_config *config,
                            const session_seats *seats)
{
    lane->seats = seats;
    if (config->command_bytes_max == 0) {
        return BKS_OK;
    }
    lane->buffers = bksi_alloc(&config->allocator, sizeof(*lane->buffers), 1);
    bks_status status = lane->buffers != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
    if (status == BKS_OK) {
        status = bksi_burst_packer_create(&lane->packer, &config->allocator);
    }
    return status == BKS_OK
               ? bksi_bulk_streams_create_lanes(&lane->streams, BKSI_LANE_BYTES, &config->allocator)
               : status;
}

void bksi_lane_destroy(session_lane *lane, const bks_allocator *allocator)
{
    bksi_bulk_streams_destroy(&lane->streams, allocator);
    bksi_burst_packer_destroy(&lane->packer, allocator);
    bksi_free(allocator, lane->buffers, sizeof(*lane->buffers));
}

static bksi_bulk *stream_of(const session_lane *lane, uint32_t peer)
{
    return bksi_bulk_streams_of(&lane->streams, lane->seats->self, peer);
}

// ---- our commands ----

/// Find the members that have not acknowledged all bytes of the lane, as bits.
/// @param out_bytes  receives the number of bytes that not all members have acknowledged
static uint32_t find_behind(const session_lane *lane, const session_common *common,
                            uint64_t *out_bytes)
{
    uint32_t behind = 0;
    *out_bytes = 0;
    EACH_PEER (i, bksi_common_others(common)) {
        const uint64_t bytes = bksi_bulk_unfinished(stream_of(lane, i));
        behind |= bytes > 0 ? PEER_BIT(i) : 0;
        *out_bytes = bytes > *out_bytes ? bytes : *out_bytes;
    }
    return behind;
}

/// Find the local player that may put commands into the lane now. The lane passes on, in turns,
/// when ticks have taken all its bytes.
static bksi_command_queue *find_queue(session_lane *lane, session_common *common,
                                      uint32_t inline_bytes)
{
    const uint32_t players = common->seats.peers[common->seats.self].player_count;
    bksi_command_queue *queue = bksi_rollback_queue(&common->engine, lane->owner);
    for (uint32_t i = 1; queue->ahead == 0 && i <= players; i++) {
        const uint32_t next = (lane->owner + i) % players;
        if (bksi_rollback_queue(&common->engine, next)->count > inline_bytes) {
            lane->owner = next;
            return bksi_rollback_queue(&common->engine, next);
        }
    }
    return queue;
}

static session_lane_piece *piece_of(session_lane *lane, uint32_t number)
{
    return &lane->pieces[number % BKSI_LANE_PIECES];
}

/// Forget the pieces that ticks have taken: all but those that still travel ahead.
static void forget_taken(session_lane *lane, const bksi_command_queue *queue)
{
    uint32_t ahead = 0;
    uint32_t first = lane->packed;
    while (ahead < queue->ahead) {
        first--;
        ahead += piece_of(lane, first)->plain;
    }
    BKS_ASSERT(ahead == queue->ahead);
    lane->taken = first;
}

/// Return the number of plain bytes in the pieces that all members have acknowledged.
/// @param missing  number of bytes of the lane that not all members have acknowledged
static uint32_t arrived_bytes(session_lane *lane, uint64_t missing)
{
    uint32_t bytes = 0;
    for (uint32_t i = lane->taken; i != lane->packed; i++) {
        const session_lane_piece *piece = piece_of(lane, i);
        bytes += piece->end + missing <= lane->appended ? piece->plain : 0;
    }
    return bytes;
}

/// Get the commands that can become the next piece now: as many as the log admits with those that
/// travel ahead already, and as the lane has room for.
static bksi_blob next_piece(const session_lane *lane, const session_common *common,
                            const bksi_command_queue *queue, uint64_t missing)
{
    bksi_blob piece = bksi_command_queue_rest(queue);
    if (lane->packed - lane->taken == BKSI_LANE_PIECES ||
        missing + BKSI_PIECE_HEAD_BYTES >= BKSI_LANE_BYTES) {
        return (bksi_blob){0};
    }
    const uint32_t player = common->seats.peers[common->seats.self].first_player + lane->owner;
    const uint32_t admitted =
        bksi_command_log_room(&common->engine.known.commands, player, bksi_common_own_head(common));
    const uint32_t free_bytes = (uint32_t)(BKSI_LANE_BYTES - BKSI_PIECE_HEAD_BYTES - missing);
    const uint32_t limits[] = {admitted > queue->ahead ? admitted - queue->ahead : 0, free_bytes,
                               BKSI_PIECE_BYTES_MAX};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        piece.count = piece.count < limits[i] ? piece.count : limits[i];
    }
    return piece;
}

/// Append a piece to the lanes to all other members. Each of them has room.
/// @return size of the piece
static uint32_t append(session_lane *lane, const session_common *common, const bksi_blob *plain)
{
    const uint32_t count = bksi_burst_pack(&lane->packer, plain, lane->buffers->piece);
    EACH_PEER (i, bksi_common_others(common)) {
        const size_t written = bksi_bulk_write(stream_of(lane, i), lane->buffers->piece, count);
        BKS_ASSERT(written == count);
        (void)written;
    }
    lane->appended += count;
    *piece_of(lane, lane->packed) = (session_lane_piece){lane->appended, plain->count};
    lane->packed++;
    return count;
}

uint32_t bksi_lane_update(session_lane *lane, session_common *common, uint32_t inline_bytes,
                          uint32_t detours, uint32_t held)
{
    uint64_t missing = 0;
    (void)find_behind(lane, common, &missing);
    bksi_command_queue *queue = find_queue(lane, common, inline_bytes);
    forget_taken(lane, queue);
    bksi_blob piece = next_piece(lane, common, queue, missing);
    while (piece.count > inline_bytes && bksi_common_others(common) != 0) {
        missing += append(lane, common, &piece);
        bksi_command_queue_go_ahead(queue, piece.count);
        piece = next_piece(lane, common, queue, missing);
    }
    const uint32_t behind = find_behind(lane, common, &missing);
    missing = bksi_mutated(BKSI_MUTANT_LANE_EARLY) ? 0 : missing;
    bksi_command_queue_arrived(queue, arrived_bytes(lane, missing));
    bksi_bulk_streams_update(&lane->streams, common, detours, held);
    return behind;
}

// ---- commands of others ----

/// Take the next bytes of a lane.
/// @return false if they have not come
static bool take_bytes(bksi_bulk *stream, uint8_t *bytes, uint32_t count)
{
    // The time 0 makes a report that there is room again due at once.
    return bksi_bulk_unread(stream) >= count && bksi_bulk_read(stream, bytes, count, 0) == count;
}

/// Take whole pieces that have `count` plain bytes together.
/// @param bytes   receives the plain bytes
/// @param pieces  number of pieces that the tick has taken: no honest peer names more than
///                BKSI_LANE_PIECES
static bool take_pieces(session_lane *lane, bksi_bulk *stream, uint32_t count, uint8_t *bytes,
                        uint32_t *pieces)
{
    uint8_t *piece = lane->buffers->piece;
    while (count > 0) {
        if (++*pieces > BKSI_LANE_PIECES || !take_bytes(stream, piece, BKSI_PIECE_HEAD_BYTES) ||
            !take_bytes(stream, piece + BKSI_PIECE_HEAD_BYTES, bksi_piece_size(piece))) {
            return false;
        }
        const uint32_t plain = bksi_burst_unpack(&lane->packer, piece, count, bytes);
        if (plain == 0) {
            return false;
        }
        bytes += plain;
        count -= plain;
    }
    return true;
}

bool bksi_lane_take(session_lane *lane, const session_peer *peer, bksi_blob *blobs)
{
    const uint32_t index = (uint32_t)(peer - lane->seats->peers);
    bksi_bulk *stream = stream_of(lane, index);
    uint32_t used = 0;
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < peer->player_count; i++) {
        if (!blobs[i].is_ahead) {
            continue;
        }
        uint8_t *bytes = lane->buffers->plain + used;
        if (stream == NULL || blobs[i].count > sizeof(lane->buffers->plain) - used ||
            !take_pieces(lane, stream, blobs[i].count, bytes, &pieces)) {
            return false;
        }
        blobs[i].bytes = bytes;
        used += blobs[i].count;
    }
    return true;
}
