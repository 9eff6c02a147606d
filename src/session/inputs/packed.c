// SPDX-License-Identifier: MIT

#include "session/inputs/packed.h"

#include "base/memory.h"
#include "base/report.h"

static size_t packers_bytes(const session_packed *packed)
{
    return packed->players * sizeof(bksi_command_packer);
}

static size_t rings_bytes(const session_packed *packed)
{
    return packed->locals * sizeof(session_packed_ring);
}

static size_t ticks_bytes(const session_packed *packed)
{
    return packed->capacity_ticks * sizeof(session_packed_tick);
}

bks_status bksi_packed_create(session_packed *packed, uint32_t players, uint32_t locals,
                              uint32_t capacity_ticks, const bks_allocator *allocator)
{
    *packed =
        (session_packed){.players = players, .locals = locals, .capacity_ticks = capacity_ticks};
    packed->packers = bksi_alloc(allocator, packers_bytes(packed), _Alignof(bksi_command_packer));
    packed->rings = bksi_alloc(allocator, rings_bytes(packed), _Alignof(session_packed_ring));
    bool is_made = packed->packers != NULL && packed->rings != NULL;
    for (uint32_t i = 0; is_made && i < locals; i++) {
        session_packed_tick **ticks = &packed->rings[i].ticks;
        *ticks = bksi_alloc(allocator, ticks_bytes(packed), _Alignof(session_packed_tick));
        is_made = *ticks != NULL;
    }
    if (!is_made) {
        const size_t bytes = packers_bytes(packed);
        bksi_packed_destroy(packed, allocator);
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.commands", NULL,
                         "no memory for %zu bytes of models of commands", bytes);
    }
    for (uint32_t i = 0; i < players; i++) {
        bksi_command_packer_init(&packed->packers[i]);
    }
    return BKS_OK;
}

void bksi_packed_destroy(session_packed *packed, const bks_allocator *allocator)
{
    for (uint32_t i = 0; packed->rings != NULL && i < packed->locals; i++) {
        bksi_free(allocator, packed->rings[i].ticks, ticks_bytes(packed));
    }
    bksi_free(allocator, packed->rings, rings_bytes(packed));
    bksi_free(allocator, packed->packers, packers_bytes(packed));
    *packed = (session_packed){0};
}

static session_packed_tick *tick_of(const session_packed *packed, uint32_t local, bks_tick tick)
{
    return &packed->rings[local].ticks[(uint32_t)tick & (packed->capacity_ticks - 1)];
}

void bksi_packed_sampled(session_packed *packed, const bksi_rollback *engine,
                         const session_peer *own, bks_tick tick, const bksi_equivocation *other)
{
    for (uint32_t i = 0; i < own->player_count; i++) {
        session_packed_ring *ring = &packed->rings[i];
        bksi_blob blob = bksi_rollback_blob(engine, own->first_player + i, tick);
        if (other != NULL && other->commands != NULL) {
            const bool is_whole =
                bksi_command_log_is_whole(&engine->known.commands, own->first_player + i, tick - 1);
            blob = other->commands(other->context, tick, is_whole, &blob);
        }
        uint32_t count = 0;
        if (blob.count > 0 && !blob.is_ahead) {
            const uint32_t most = blob.count + BKSI_PACKED_EXTRA_BYTES;
            BKS_ASSERT(most <= sizeof(ring->bytes));
            ring->at = ring->at + most <= sizeof(ring->bytes) ? ring->at : 0;
            count = bksi_command_packer_pack(&packed->packers[own->first_player + i], &blob,
                                             ring->bytes + ring->at);
        }
        *tick_of(packed, i, tick) = (session_packed_tick){
            .at = (uint16_t)ring->at,
            .count = (uint16_t)(blob.is_ahead ? blob.count : count),
            .is_ahead = blob.is_ahead,
        };
        ring->at += count;
    }
}

bksi_blob bksi_packed_blob(const session_packed *packed, uint32_t local, bks_tick tick)
{
    const session_packed_tick *it = tick_of(packed, local, tick);
    return (bksi_blob){.bytes = it->is_ahead ? NULL : packed->rings[local].bytes + it->at,
                       .count = it->count,
                       .is_ahead = it->is_ahead};
}

bool bksi_packed_open(session_packed *packed, const session_peer *peer, bksi_blob *blobs,
                      uint32_t most, uint8_t *bytes)
{
    if (bksi_packed_is_broken(packed, peer)) {
        return false;
    }
    for (uint32_t i = 0; i < peer->player_count; i++) {
        if (blobs[i].count == 0 || blobs[i].is_ahead) {
            continue;
        }
        const uint32_t count = bksi_command_packer_unpack(&packed->packers[peer->first_player + i],
                                                          &blobs[i], most, bytes);
        if (count == 0) {
            bksi_packed_break(packed, peer);
            return false;
        }
        blobs[i] = (bksi_blob){.bytes = bytes, .count = count};
        bytes += count;
        most -= count;
    }
    return true;
}
