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
    lane->bytes = bksi_alloc(&config->allocator, BKSI_LANE_BYTES, 1);
    return lane->bytes != NULL
               ? bksi_bulk_streams_create_lanes(&lane->streams, BKSI_LANE_BYTES, &config->allocator)
               : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_lane_destroy(session_lane *lane, const bks_allocator *allocator)
{
    bksi_bulk_streams_destroy(&lane->streams, allocator);
    bksi_free(allocator, lane->bytes, BKSI_LANE_BYTES);
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

/// Append bytes to the lanes to all other members. Each of them has room.
static void append(session_lane *lane, const session_common *common, const bksi_blob *bytes)
{
    EACH_PEER (i, bksi_common_others(common)) {
        const size_t written = bksi_bulk_write(stream_of(lane, i), bytes->bytes, bytes->count);
        BKS_ASSERT(written == bytes->count);
        (void)written;
    }
}

uint32_t bksi_lane_update(session_lane *lane, session_common *common, uint32_t inline_bytes,
                          uint32_t detours)
{
    uint64_t missing = 0;
    (void)find_behind(lane, common, &missing);
    bksi_command_queue *queue = find_queue(lane, common, inline_bytes);
    bksi_blob rest = bksi_command_queue_rest(queue);
    if (rest.count > inline_bytes && bksi_common_others(common) != 0) {
        const uint32_t room = (uint32_t)(BKSI_LANE_BYTES - missing);
        rest.count = rest.count < room ? rest.count : room;
        append(lane, common, &rest);
        bksi_command_queue_go_ahead(queue, rest.count);
    }
    const uint32_t behind = find_behind(lane, common, &missing);
    bksi_command_queue_arrived(queue, bksi_mutated(BKSI_MUTANT_LANE_EARLY) ? 0 : missing);
    bksi_bulk_streams_update(&lane->streams, common, detours, 0);
    return behind;
}

// ---- commands of others ----

bool bksi_lane_take(session_lane *lane, const session_peer *peer, bksi_blob *blobs)
{
    const uint32_t index = (uint32_t)(peer - lane->seats->peers);
    uint64_t count = 0;
    for (uint32_t i = 0; i < peer->player_count; i++) {
        count += blobs[i].is_ahead ? blobs[i].count : 0;
    }
    if (count == 0) {
        return true;
    }
    bksi_bulk *stream = stream_of(lane, index);
    if (stream == NULL || count > bksi_bulk_unread(stream)) {
        return false;
    }
    // The time 0 makes a report that there is room again due at once.
    (void)bksi_bulk_read(stream, lane->bytes, (size_t)count, 0);
    const uint8_t *at = lane->bytes;
    for (uint32_t i = 0; i < peer->player_count; i++) {
        if (blobs[i].is_ahead) {
            blobs[i].bytes = at;
            at += blobs[i].count;
        }
    }
    return true;
}
