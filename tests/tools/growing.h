// SPDX-License-Identifier: MIT

/// @file growing.h
/// A recording of duel that grows as the test says, and a player of it on a clock of the test's
/// own.

#ifndef BKS_TEST_GROWING_H
#define BKS_TEST_GROWING_H

#include "game/loader.h"
#include "watch/watch_player.h"

enum { TICKS = 600, RATE_HZ = 60, CHUNK_TICKS = 4 * RATE_HZ };

#define SECOND_NS UINT64_C(1000000000)

extern const uint8_t *growing_bytes; ///< the whole file
extern size_t growing_count;         ///< size of the whole file
extern loaded_game growing_game;

/// A feed that gives as much of the file as the test says.
typedef struct growing_feed {
    watch_feed feed;
    size_t given;
    size_t wanted;
} growing_feed;

/// Make the recording, as the set-up of a group of tests.
int growing_record(void **state);

/// Open a feed of the first `count` bytes.
void growing_open(growing_feed *f, size_t count);

/// Open a player of a feed, and set its clock.
void growing_play(watch_player *player, growing_feed *feed, uint64_t *now_ns);

void growing_close(watch_player *player, growing_feed *feed);

/// Return how many bytes have at least some ticks appended.
size_t growing_part(bks_tick least);

/// Let a player go on, in parts so short that the work of one call never ends it.
void growing_pass(watch_player *player, uint64_t *now_ns, uint64_t duration_ns);

#endif
