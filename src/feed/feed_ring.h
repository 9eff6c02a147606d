// SPDX-License-Identifier: MIT

/// @file feed_ring.h
/// Ring of the newest records of a feed, each with the time at which it was made. Watchers read it
/// at places of their own; the oldest records make room for new ones.

#ifndef BKSI_FEED_RING_H
#define BKSI_FEED_RING_H

#include "backstitch/base.h"

typedef struct bksi_feed_ring {
    uint8_t *bytes;
    size_t room;
    uint64_t first; ///< place of the oldest record that is held
    uint64_t end;   ///< place of the next record
} bksi_feed_ring;

/// Place of a reader: a record, and the number of its bytes that were read.
typedef struct bksi_feed_cursor {
    uint64_t place;
    size_t read;
} bksi_feed_cursor;

/// Create a ring.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_feed_ring_create(bksi_feed_ring *ring, size_t room, const bks_allocator *allocator);
void bksi_feed_ring_destroy(bksi_feed_ring *ring, const bks_allocator *allocator);

/// Append a record.
/// @return false if the ring has no room for it even when empty
bool bksi_feed_ring_put(bksi_feed_ring *ring, uint64_t made_ns, const void *bytes, size_t count);

/// Return true if the ring still holds what the reader needs next.
static inline bool bksi_feed_ring_holds(const bksi_feed_ring *ring, const bksi_feed_cursor *cursor)
{
    return cursor->place >= ring->first;
}

/// Read the next bytes of records made at `until_ns` or before, without moving the cursor. The ring
/// must hold the cursor's place.
/// @return bytes read, 0: there are none yet
size_t bksi_feed_ring_peek(const bksi_feed_ring *ring, const bksi_feed_cursor *cursor,
                           uint64_t until_ns, void *out, size_t room);

/// Read the first bytes of the record at a place.
/// @param place  place of a record that is held; receives that of the next one
/// @return bytes read
size_t bksi_feed_ring_look(const bksi_feed_ring *ring, uint64_t *place, void *out, size_t room);

/// Drop all records.
static inline void bksi_feed_ring_clear(bksi_feed_ring *ring)
{
    ring->first = ring->end;
}

/// Move a cursor over `count` bytes that were read.
void bksi_feed_ring_pass(const bksi_feed_ring *ring, bksi_feed_cursor *cursor, size_t count);

#endif
