// SPDX-License-Identifier: MIT

/// @file lobby_clock.h
/// Time before the match: the first tick, the host's clock as a guest reads it, and freezes. Only
/// lobby_clock.c changes the structs of this header; other files read it.

#ifndef BKSI_LOBBY_CLOCK_H
#define BKSI_LOBBY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/// Longest round trip that is accepted, in microseconds.
#define TRIP_US_MAX 10000000

typedef struct session_host_clock {
    bool is_read;
    int32_t trip_us;   ///< shortest round trip so far, over which the host's clock was read
    uint32_t ahead_us; ///< microseconds by which the host's clock is ahead of ours, modulo 2^32
    bool has_start;    ///< the host has named the time of the first tick
    uint32_t start_us; ///< time of the first tick on the host's clock
    uint64_t begin_ns; ///< time of the first tick on our clock, once known
} session_host_clock;

/// Freezes of our process before the start. Packets that came during a freeze have waited for us,
/// for an unknown time.
typedef struct session_freeze {
    /// Time at which we asked our owner to update us next; 0: we asked for no time.
    uint64_t asked_ns;
    uint64_t woke_ns; ///< end of the last freeze; 0: there was none
} session_freeze;

/// Read the host's clock from a message that came over a round trip of `trip_us`.
/// @return true if this reading is the best so far
bool bksi_host_clock_read(session_host_clock *clock, uint32_t now_us, uint32_t stamp_us,
                          int32_t trip_us);
/// Set the time of the first tick on the host's clock.
void bksi_host_clock_start(session_host_clock *clock, uint32_t start_us);
/// Get the time that is left until the first tick.
/// @param left_ns  receives that time; negative: the first tick has passed
/// @return false if that time is not known
bool bksi_host_clock_left(const session_host_clock *clock, uint32_t now_us, int64_t *left_ns);

/// Set the time of the first tick on our clock.
void bksi_host_clock_begin(session_host_clock *clock, uint64_t begin_ns);
/// Guest: work out the time of the first tick on our clock, from the best reading of the host's
/// clock so far.
void bksi_host_clock_settle(session_host_clock *clock, uint64_t now_ns);

/// Record that we asked our owner to update us at `at_ns`.
void bksi_freeze_ask(session_freeze *freeze, uint64_t at_ns);
/// Compare the current time with the time at which we asked our owner to update us. If the current
/// time is much later, our process was frozen until now.
/// @return true if a packet that comes now may have waited for us
bool bksi_freeze_note(session_freeze *freeze, uint64_t now_ns);

#endif
