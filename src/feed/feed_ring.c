// SPDX-License-Identifier: MIT

#include "feed/feed_ring.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "net/bulk.h"

/// Bytes before each record: the time at which it was made, and its size.
#define HEAD_BYTES 12u

typedef struct ring_entry {
    uint64_t made_ns;
    size_t count;
} ring_entry;

bks_status bksi_feed_ring_create(bksi_feed_ring *ring, size_t room, const bks_allocator *allocator)
{
    *ring = (bksi_feed_ring){.bytes = bksi_alloc(allocator, room, 1), .room = room};
    return ring->bytes != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_feed_ring_destroy(bksi_feed_ring *ring, const bks_allocator *allocator)
{
    bksi_free(allocator, ring->bytes, ring->room);
    *ring = (bksi_feed_ring){0};
}

static ring_entry entry_at(const bksi_feed_ring *ring, uint64_t place)
{
    uint8_t head[HEAD_BYTES];
    bksi_bulk_ring_get(ring->bytes, ring->room, place, head, HEAD_BYTES);
    return (ring_entry){bksi_get_u64(head), bksi_get_u32(head + 8)};
}

bool bksi_feed_ring_put(bksi_feed_ring *ring, uint64_t made_ns, const void *bytes, size_t count)
{
    if (ring->room < HEAD_BYTES || count > ring->room - HEAD_BYTES) {
        return false;
    }
    while (ring->end + HEAD_BYTES + count - ring->first > ring->room) {
        ring->first += HEAD_BYTES + entry_at(ring, ring->first).count;
    }
    uint8_t head[HEAD_BYTES];
    bksi_put_u64(head, made_ns);
    bksi_put_u32(head + 8, (uint32_t)count);
    bksi_bulk_ring_put(ring->bytes, ring->room, ring->end, head, HEAD_BYTES);
    bksi_bulk_ring_put(ring->bytes, ring->room, ring->end + HEAD_BYTES, bytes, count);
    ring->end += HEAD_BYTES + count;
    return true;
}

size_t bksi_feed_ring_peek(const bksi_feed_ring *ring, const bksi_feed_cursor *cursor,
                           uint64_t until_ns, void *out, size_t room)
{
    BKS_ASSERT(bksi_feed_ring_holds(ring, cursor));
    bksi_feed_cursor at = *cursor;
    size_t count = 0;
    while (at.place < ring->end && count < room) {
        const ring_entry entry = entry_at(ring, at.place);
        if (entry.made_ns > until_ns) {
            break;
        }
        const size_t left = entry.count - at.read;
        const size_t part = left < room - count ? left : room - count;
        bksi_bulk_ring_get(ring->bytes, ring->room, at.place + HEAD_BYTES + at.read,
                           (uint8_t *)out + count, part);
        count += part;
        bksi_feed_ring_pass(ring, &at, part);
    }
    return count;
}

size_t bksi_feed_ring_look(const bksi_feed_ring *ring, uint64_t *place, void *out, size_t room)
{
    BKS_ASSERT(*place >= ring->first && *place < ring->end);
    const ring_entry entry = entry_at(ring, *place);
    const size_t count = entry.count < room ? entry.count : room;
    bksi_bulk_ring_get(ring->bytes, ring->room, *place + HEAD_BYTES, out, count);
    *place += HEAD_BYTES + entry.count;
    return count;
}

void bksi_feed_ring_pass(const bksi_feed_ring *ring, bksi_feed_cursor *cursor, size_t count)
{
    while (count > 0) {
        const ring_entry entry = entry_at(ring, cursor->place);
        const size_t left = entry.count - cursor->read;
        const size_t part = left < count ? left : count;
        count -= part;
        cursor->read += part;
        if (cursor->read == entry.count) {
            *cursor = (bksi_feed_cursor){.place = cursor->place + HEAD_BYTES + entry.count};
        }
    }
}
