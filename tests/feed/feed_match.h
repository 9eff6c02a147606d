// SPDX-License-Identifier: MIT

/// @file feed_match.h
/// Matches that are watched, and what a watcher of one must have.

#ifndef TESTS_FEED_MATCH_H
#define TESTS_FEED_MATCH_H

#include "feed/feed_network.h"

#define SECOND_NS (1000 * NET_MS)

typedef struct feed_match {
    uint32_t peers;
    uint32_t at; ///< peer to which watchers come
    bks_tick ticks;
    uint32_t window_ticks;
    bks_save_policy save;
    const bks_game *game;
    uint32_t local_players; ///< players of each machine, 0: one
} feed_match;

/// Configure the small game with room for 1 MiB of state.
bks_status feed_configure_large(const bks_start *start, size_t *out_state_bytes, bks_error *error);

/// Open a match with one source, and lines of 50 ms for all watchers.
feed_network *feed_open_as(const feed_match *match, const bksi_feed_source_config *config);

/// Open a match of the small game with a window, whose last peer is the source.
feed_network *feed_open(uint32_t peers, bks_tick ticks, const bksi_feed_source_config *config);
void feed_close(feed_network *network);

/// Let a watcher say goodbye to the first source.
void feed_leave(feed_network *network, uint32_t index);

/// Check that all a watcher has is what its first source computed.
/// @param is_whole  true: up to the end of the match, or of its last source
void feed_assert_is_true(feed_network *network, const feed_watcher *watcher, bool is_whole);

#endif
