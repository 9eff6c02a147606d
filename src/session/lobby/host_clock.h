// SPDX-License-Identifier: MIT

/// @file host_clock.h
/// When the first tick is, and for a guest what the host's clock reads. host_clock.c alone writes
/// this; others ask.

#ifndef BKSI_HOST_CLOCK_H
#define BKSI_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/// Longest round trip that is believed.
#define TRIP_US_MAX 10000000

typedef struct session_host_clock {
    bool is_read;
    int32_t trip_us;   ///< over this round trip, the shortest so far
    uint32_t ahead_us; ///< it is ahead of ours by this, modulo 2^32
    bool has_start;    ///< the host said when the first tick is
    uint32_t start_us; ///< on the host's clock
    uint64_t begin_ns; ///< the first tick on our clock, once it is known
} session_host_clock;

/// A message with the host's time came, over such a round trip.
/// @return whether it is the best so far
bool bksi_host_clock_read(session_host_clock *clock, uint32_t now_us, uint32_t stamp_us,
                          int32_t trip_us);
/// The time of the first tick.
void bksi_host_clock_start(session_host_clock *clock, uint32_t start_us);
/// @param left_ns  receives the time until the first tick
/// @return false when it is not known
bool bksi_host_clock_left(const session_host_clock *clock, uint32_t now_us, int64_t *left_ns);

/// The first tick is at this time on our clock.
void bksi_host_clock_begin(session_host_clock *clock, uint64_t begin_ns);
/// Guest: the same, as well as we know the host's clock by now.
void bksi_host_clock_settle(session_host_clock *clock, uint64_t now_ns);

#endif
