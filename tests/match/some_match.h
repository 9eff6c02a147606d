// SPDX-License-Identifier: MIT

/// @file some_match.h
/// A small game, matches of it in this process, and a transport between them in memory.

#ifndef TEST_SOME_MATCH_H
#define TEST_SOME_MATCH_H

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"

#define SOME_MS UINT64_C(1000000)

/// Adds up what the players push; remembers every input by mixing it in.
typedef struct some_state {
    uint64_t mixed;
    int32_t sum[2];
    int32_t pushed[2]; ///< the newest input's fields of either player, x only
} some_state;

typedef struct some_input {
    int32_t x; ///< -8..7
    int32_t y; ///< 0..1
} some_input;

/// 500 ticks a second, for 1 to 2 players, so that a match of many ticks ends soon.
extern const bks_game some_game;

/// some_game with another version.
extern const bks_game some_later_game;

/// The config of a side that plays some_game and records nothing.
bks_match_config some_config(void);

/// Open or fail the test.
bks_match *some_open(const bks_match_config *config);

/// Update both in turn, waiting as a game would, until neither is BKS_OK or time is up.
/// A side may be NULL.
void some_play(bks_match *a, bks_match *b, uint64_t limit_ms, bks_status *status_a,
               bks_status *status_b);

/// Update both in turn, waiting as a game would, until both have started.
void some_start(bks_match *a, bks_match *b);

/// Take events until one of this kind comes.
bool some_event(bks_match *match, bks_event_kind kind, bks_event *event);

/// The session's final hash at its newest published tick.
uint64_t some_final_hash(bks_match *match, bks_tick *tick);

/// Two ends of a wire in memory.
typedef struct some_wire {
    struct some_end {
        struct some_wire *wire;
        uint32_t side;
        bks_address address;
        uint32_t first;
        uint32_t waiting;
        struct some_packet {
            size_t count;
            uint8_t bytes[BKS_PACKET_BYTES_MAX];
        } packets[64];
    } ends[2];
    bool is_cut; ///< loses all
} some_wire;

void some_wire_init(some_wire *wire);

/// One end as a transport.
bks_transport some_wire_end(some_wire *wire, uint32_t side);

uint64_t some_clock_ns(void);

#endif
