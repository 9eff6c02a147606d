// SPDX-License-Identifier: MIT

/// @file feed_place.h
/// Place for one watcher of a source: its line, and how far its stream has come.

#ifndef BKSI_FEED_PLACE_H
#define BKSI_FEED_PLACE_H

#include "feed/feed_link.h"
#include "feed/feed_members.h"
#include "feed/feed_tape.h"
#include "feed/feed_wire.h"

typedef enum bksi_feed_stage {
    BKSI_FEED_FREE,      ///< nobody has the place
    BKSI_FEED_WAITS,     ///< the watcher waits for a beginning
    BKSI_FEED_CONTINUES, ///< the watcher continues a recording, and waits for its next tick
    BKSI_FEED_BEGINNING, ///< the beginning is sent
    BKSI_FEED_RECORDS,   ///< records are sent
} bksi_feed_stage;

typedef struct bksi_feed_place {
    bksi_feed_stage stage;
    bksi_channel channel;
    bksi_feed_link link;
    bks_tick from; ///< tick at which the watcher's recording ends, if it continues one
    uint64_t seed; ///< seed of the match of that recording
    size_t begun;  ///< bytes of the count and the beginning that were written to the stream
    bksi_feed_cursor cursor;
    bool has_caught_up; ///< it has lacked little since it came
    uint64_t alive_ns;  ///< time of the last ALIVE
    uint64_t told_ns;   ///< time of the last MEMBERS, 0: none yet
    uint64_t bytes;     ///< bytes sent, headers included
} bksi_feed_place;

/// Recording of a source for its watchers at present, and how much of it they may have.
typedef struct bksi_feed_offer {
    const bksi_feed_tape *tape;
    bool can_begin;    ///< newcomers may take the newest beginning
    uint64_t seed;     ///< seed of the match
    uint64_t delay_ns; ///< time for which everything is held back
    uint64_t now_ns;
    bool has_turn; ///< records may be read now
} bksi_feed_offer;

/// Allocate the streams of a place.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (nothing is left to destroy)
bks_status bksi_feed_place_create(bksi_feed_place *place, double bytes_per_s,
                                  const bks_allocator *allocator);
void bksi_feed_place_destroy(bksi_feed_place *place);

/// Give a free place to the watcher that sent a valid WATCH.
void bksi_feed_place_open(bksi_feed_place *place, const bksi_guard_message *watch, uint64_t now_ns);
void bksi_feed_place_free(bksi_feed_place *place);

/// Process a packet of the watcher.
void bksi_feed_place_take(bksi_feed_place *place, const bksi_guard_message *message,
                          uint64_t now_ns);

/// Write to the watcher's stream what it can take.
/// @return BKSI_FEED_REASONS; or the reason why the watcher must be given up
bksi_feed_reason bksi_feed_place_write(bksi_feed_place *place, const bksi_feed_offer *offer);

/// Have the next packet tell the members, because the list has changed.
void bksi_feed_place_retell(bksi_feed_place *place);

/// Write the next packet to the watcher.
/// @param is_held  a member's line is cramped, so only say that we are here
/// @return bytes of the packet, 0: none is due
size_t bksi_feed_place_send(bksi_feed_place *place, bksi_guard *guard,
                            const bksi_feed_members *members, bool is_held, bks_address *to,
                            uint8_t *packet, uint64_t now_ns);

/// Return true if the watcher still lacks records that the tape has.
bool bksi_feed_place_lacks(const bksi_feed_place *place, const bksi_feed_tape *tape);

#endif
