// SPDX-License-Identifier: MIT

/// @file lobby_clock.h
/// Time before the match: the first tick, the host's clock as a guest reads it, and freezes.
/// lobby_clock.c alone writes this; others read.

#ifndef BKSI_LOBBY_CLOCK_H
#define BKSI_LOBBY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/// Longest round trip that is believed, in microseconds.
#define TRIP_US_MAX 10000000

typedef struct session_host_clock {
    bool is_read;
    int32_t trip_us;   ///< round trip of the reading, the shortest so far
    uint32_t ahead_us; ///< microseconds by which the host's clock is ahead of ours, modulo 2^32
    bool has_start;    ///< the host has named the time of the first tick
    uint32_t start_us; ///< time of the first tick on the host's clock
    uint64_t begin_ns; ///< time of the first tick on our clock, once it is known
} session_host_clock;

/// Freezes of our process before the start. Packets that came meanwhile have waited for us, for an
/// unknown time.
typedef struct session_freeze {
    uint64_t asked_ns; ///< time at which we asked to be called again; 0: any time
    uint64_t woke_ns;  ///< end of the last freeze; 0: there was none
} session_freeze;

/// Take a message with the host's time that came over such a round trip.
/// @return true if its reading is the best so far
bool bksi_host_clock_read(session_host_clock *clock, uint32_t now_us, uint32_t stamp_us,
                          int32_t trip_us);
/// Set the time of the first tick on the host's clock.
void bksi_host_clock_start(session_host_clock *clock, uint32_t start_us);
/// @param left_ns  receives the time until the first tick
/// @return false if that time is not known
bool bksi_host_clock_left(const session_host_clock *clock, uint32_t now_us, int64_t *left_ns);

/// Set the time of the first tick on our clock.
void bksi_host_clock_begin(session_host_clock *clock, uint64_t begin_ns);
/// Guest: work out the time of the first tick on our clock, as well as the host's clock is known by
/// now.
void bksi_host_clock_settle(session_host_clock *clock, uint64_t now_ns);

/// Note that we asked to be called again by then.
void bksi_freeze_ask(session_freeze *freeze, uint64_t at_ns);
/// Note a freeze that ended now.
/// @return true if a packet of now may have waited for us
bool bksi_freeze_note(session_freeze *freeze, uint64_t now_ns);

#endif
