// SPDX-License-Identifier: MIT

/// @file bulk_ring.h
/// The bytes of a stream in a ring, each at its place in the stream modulo the ring's length.

#ifndef BKSI_BULK_RING_H
#define BKSI_BULK_RING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// How many of some bytes from a place on lie before the ring's end; the rest at its begin.
static inline size_t bksi_bulk_ring_part(size_t room, uint64_t place, size_t count)
{
    const size_t left = room - (size_t)(place % room);
    return count < left ? count : left;
}

/// @param count  at most `room`
static inline void bksi_bulk_ring_put(uint8_t *ring, size_t room, uint64_t place,
                                      const uint8_t *bytes, size_t count)
{
    const size_t first = bksi_bulk_ring_part(room, place, count);
    memcpy(ring + place % room, bytes, first);
    memcpy(ring, bytes + first, count - first);
}
static inline void bksi_bulk_ring_get(const uint8_t *ring, size_t room, uint64_t place,
                                      uint8_t *bytes, size_t count)
{
    const size_t first = bksi_bulk_ring_part(room, place, count);
    memcpy(bytes, ring + place % room, first);
    memcpy(bytes + first, ring, count - first);
}

#endif
