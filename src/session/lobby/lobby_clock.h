// SPDX-License-Identifier: MIT

/// @file lobby_clock.h
/// Time before the match: when the first tick is, what the host's clock reads for a guest, and
/// whether we stood still. lobby_clock.c alone writes this; others read.

#ifndef BKSI_LOBBY_CLOCK_H
#define BKSI_LOBBY_CLOCK_H

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

/// Whether we stood still before the start: packets that came meanwhile have waited for us, for an
/// unknown time.
typedef struct session_freeze {
    uint64_t asked_ns; ///< when we were to be called again; 0: whenever
    uint64_t woke_ns;  ///< until when we last stood still; 0: we never did
} session_freeze;

/// Take in a message with the host's time that came over such a round trip.
/// @return true if it is the best so far
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

/// Note that we are to be called again by then.
void bksi_freeze_ask(session_freeze *freeze, uint64_t at_ns);
/// Note it if we stood still until now.
/// @return true if a packet of now may have waited for us
bool bksi_freeze_note(session_freeze *freeze, uint64_t now_ns);

#endif
