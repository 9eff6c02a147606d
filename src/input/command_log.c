// SPDX-License-Identifier: MIT

#include "input/command_log.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"

bool bksi_commands_are_framed(const bks_commands *commands, uint32_t bytes_max)
{
    uint32_t at = 0;
    while (commands->count - at > BKSI_COMMAND_HEAD_BYTES) {
        const uint32_t length = commands->bytes[at] | (uint32_t)commands->bytes[at + 1] << 8;
        at += BKSI_COMMAND_HEAD_BYTES;
        if (length == 0 || length > bytes_max || length > commands->count - at) {
            return false;
        }
        at += length;
    }
    return at == commands->count;
}

// ---- memory ----

/// Return the size of a ring in bytes. A ring has room for the blobs of `room_ticks` ticks, and for
/// the beginning of a command that the first of these blobs completes.
static uint32_t ring_bytes(const bksi_command_log *log)
{
    return log->config.room_bytes + BKSI_COMMAND_HEAD_BYTES + log->config.bytes_max;
}

/// Return the maximum number of bytes that must be contiguous: a blob, and the beginning of a
/// command that the blob completes. A ring is always larger.
static uint32_t piece_bytes(const bksi_command_log *log)
{
    const uint32_t room = log->config.room_bytes;
    const uint32_t blob = room < BKSI_BLOB_BYTES_MAX ? room : BKSI_BLOB_BYTES_MAX;
    return blob + BKSI_COMMAND_HEAD_BYTES + log->config.bytes_max - 1;
}

static size_t memory_bytes(const bksi_command_log *log)
{
    return (size_t)ring_bytes(log) + piece_bytes(log);
}

static size_t ticks_bytes(const bksi_command_log *log)
{
    return log->capacity_ticks * sizeof(bksi_command_tick);
}

bks_status bksi_command_log_create(bksi_command_log *log, const bksi_command_config *config,
                                   uint32_t players, uint32_t capacity_ticks,
                                   const bks_allocator *allocator)
{
    *log = (bksi_command_log){.config = *config};
    if (config->bytes_max == 0) {
        return BKS_OK;
    }
    BKS_ASSERT(config->room_bytes >= config->bytes_max + BKSI_COMMAND_HEAD_BYTES);
    BKS_ASSERT(config->room_ticks >= 1 && config->room_ticks <= capacity_ticks);
    log->players = players;
    log->capacity_ticks = capacity_ticks;
    for (uint32_t p = 0; p < players; p++) {
        bksi_command_ring *ring = &log->rings[p];
        ring->bytes = bksi_alloc(allocator, memory_bytes(log), 16);
        ring->ticks = bksi_alloc(allocator, ticks_bytes(log), _Alignof(bksi_command_tick));
        if (ring->bytes == NULL || ring->ticks == NULL) {
            bksi_command_log_destroy(log, allocator);
            return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.commands", NULL,
                             "no memory for %zu bytes of a player's commands", memory_bytes(log));
        }
    }
    return BKS_OK;
}

void bksi_command_log_destroy(bksi_command_log *log, const bks_allocator *allocator)
{
    for (uint32_t p = 0; p < log->players; p++) {
        bksi_free(allocator, log->rings[p].bytes, memory_bytes(log));
        bksi_free(allocator, log->rings[p].ticks, ticks_bytes(log));
    }
    *log = (bksi_command_log){0};
}

// ---- ticks ----

/// Return the entry of a tick. Blobs of ticks before the first one end at offset 0, because the
/// memory was zeroed.
static bksi_command_tick *tick_of(const bksi_command_log *log, uint32_t player, bks_tick tick)
{
    return &log->rings[player].ticks[(uint32_t)tick & (log->capacity_ticks - 1)];
}

static const uint8_t *bytes_at(const bksi_command_log *log, uint32_t player, uint64_t offset)
{
    return log->rings[player].bytes + offset % ring_bytes(log);
}

// ---- the rule of admission ----

uint32_t bksi_command_log_room(const bksi_command_log *log, uint32_t player, bks_tick tick)
{
    const bks_tick oldest = tick - (bks_tick)log->config.room_ticks;
    const bksi_command_tick *before = tick_of(log, player, tick - 1);
    const uint64_t room =
        log->config.room_bytes - (before->end - tick_of(log, player, oldest)->end);
    const uint64_t begun = before->end - before->whole;
    const uint64_t half = BKSI_BLOB_BYTES_MAX / 2;
    const uint64_t most = BKSI_BLOB_BYTES_MAX - (begun < half ? begun : half);
    return (uint32_t)(room < most ? room : most);
}

/// Find the end of the last command that a blob completes.
/// @param begun        bytes before the blob that begin an incomplete command
/// @param begun_count  number of bytes in `begun`
/// @param end          receives the offset of that end in the blob; 0: no command is completed
/// @return false if a command's length is out of its range
static bool find_whole(const bksi_command_log *log, const uint8_t *begun, uint32_t begun_count,
                       const bksi_blob *blob, uint32_t *end)
{
    uint32_t at = 0;
    *end = 0;
    while (begun_count + (blob->count - at) >= BKSI_COMMAND_HEAD_BYTES) {
        uint8_t head[BKSI_COMMAND_HEAD_BYTES];
        for (uint32_t i = 0; i < BKSI_COMMAND_HEAD_BYTES; i++) {
            head[i] = i < begun_count ? begun[i] : blob->bytes[at + i - begun_count];
        }
        const uint32_t length = head[0] | (uint32_t)head[1] << 8;
        if (length == 0 || length > log->config.bytes_max) {
            return false;
        }
        const uint32_t missing = BKSI_COMMAND_HEAD_BYTES + length - begun_count;
        if (missing > blob->count - at) {
            break;
        }
        at += missing;
        begun_count = 0;
        *end = at;
    }
    return true;
}

static bool find_whole_of(const bksi_command_log *log, uint32_t player, bks_tick tick,
                          const bksi_blob *blob, uint32_t *end)
{
    const bksi_command_tick *before = tick_of(log, player, tick - 1);
    return find_whole(log, bytes_at(log, player, before->whole),
                      (uint32_t)(before->end - before->whole), blob, end);
}

bool bksi_command_log_admits(const bksi_command_log *log, uint32_t player, bks_tick tick,
                             const bksi_blob *blob)
{
    uint32_t end;
    return blob->count <= bksi_command_log_room(log, player, tick) &&
           find_whole_of(log, player, tick, blob, &end);
}

// ---- appending ----

/// Copy a blob into the ring. Bytes in the first part of the ring are also copied behind its end.
static void store(const bksi_command_log *log, uint32_t player, uint64_t offset,
                  const bksi_blob *blob)
{
    uint8_t *ring = log->rings[player].bytes;
    const uint32_t size = ring_bytes(log);
    const uint32_t repeated = piece_bytes(log);
    uint32_t at = (uint32_t)(offset % size);
    for (uint32_t done = 0; done < blob->count; at = 0) {
        const uint32_t left = blob->count - done;
        const uint32_t part = left < size - at ? left : size - at;
        memcpy(ring + at, blob->bytes + done, part);
        if (at < repeated) {
            memcpy(ring + size + at, ring + at, part < repeated - at ? part : repeated - at);
        }
        done += part;
    }
}

bool bksi_command_log_append(bksi_command_log *log, uint32_t player, bks_tick tick,
                             const bksi_blob *blob)
{
    const bksi_command_tick before = *tick_of(log, player, tick - 1);
    bksi_command_tick after = {.end = before.end, .whole = before.whole};
    if (blob != NULL && blob->count > 0) {
        uint32_t end;
        const bool is_right = find_whole_of(log, player, tick, blob, &end);
        BKS_ASSERT(is_right && blob->count <= bksi_command_log_room(log, player, tick));
        (void)is_right;
        store(log, player, before.end, blob);
        after.end = before.end + blob->count;
        after.whole = end > 0 ? before.end + end : before.whole;
        after.is_ahead = blob->is_ahead;
    }
    *tick_of(log, player, tick) = after;
    return after.whole > before.whole;
}

// ---- steps ----

void bksi_command_log_use(bksi_command_log *log, uint32_t player, bks_tick tick)
{
    tick_of(log, player, tick)->is_used = true;
}

static bool has_commands(const bksi_command_log *log, uint32_t player, bks_tick tick)
{
    return tick_of(log, player, tick)->whole > tick_of(log, player, tick - 1)->whole;
}

bool bksi_command_log_is_as_used(const bksi_command_log *log, uint32_t player, bks_tick from,
                                 bks_tick until)
{
    for (bks_tick tick = from; tick < until; tick++) {
        if (has_commands(log, player, tick) && !tick_of(log, player, tick)->is_used) {
            return false;
        }
    }
    return true;
}

// ---- known ticks ----

bool bksi_command_log_holds(const bksi_command_log *log, uint32_t player, bks_tick tick,
                            bks_tick head)
{
    const uint64_t needed =
        tick_of(log, player, head - 1)->end - tick_of(log, player, tick - 1)->whole;
    return head - tick < (bks_tick)log->capacity_ticks && needed <= ring_bytes(log);
}

bksi_blob bksi_command_log_blob(const bksi_command_log *log, uint32_t player, bks_tick tick)
{
    const uint64_t from = tick_of(log, player, tick - 1)->end;
    const bksi_command_tick *entry = tick_of(log, player, tick);
    return (bksi_blob){.bytes = bytes_at(log, player, from),
                       .count = (uint32_t)(entry->end - from),
                       .is_ahead = entry->is_ahead};
}

bool bksi_command_log_is_whole(const bksi_command_log *log, uint32_t player, bks_tick tick)
{
    const bksi_command_tick *it = tick_of(log, player, tick);
    return it->end == it->whole;
}

bks_commands bksi_command_log_commands(const bksi_command_log *log, uint32_t player, bks_tick tick)
{
    const uint64_t from = tick_of(log, player, tick - 1)->whole;
    return (bks_commands){.bytes = bytes_at(log, player, from),
                          .count = (uint32_t)(tick_of(log, player, tick)->whole - from)};
}
