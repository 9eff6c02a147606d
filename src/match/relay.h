// SPDX-License-Identifier: MIT

/// @file relay.h
/// A watcher that serves on what it watches, at an address of its own: it passes on each record of
/// its recording, and follows the match by a playback, from which newcomers get their first state.
/// Without an address in the config there is none, and every call does nothing.

#ifndef BKSI_RELAY_H
#define BKSI_RELAY_H

#include "backstitch/match.h"
#include "backstitch/replay.h"
#include "feed/feed_receiver.h"
#include "feed/feed_source.h"

typedef struct bksi_relay {
    bks_allocator allocator;
    const bks_game *game;
    bks_udp *udp;
    bks_transport transport;
    bksi_feed_source *source; ///< NULL: nobody is served
    bks_replay *replay;       ///< the recording, NULL: its beginning is not here yet
    bks_playback *playback;
    const uint8_t *bytes; ///< bytes that `replay` reads
    size_t count;         ///< number of these bytes
    size_t passed;        ///< bytes of the recording that were passed on
    bks_tick wanted;      ///< tick whose state newcomers will get, BKS_TICK_NONE: nobody waits
    bksi_feed_cursor wanted_at; ///< place of the records from that tick on
    uint64_t wanted_ns;         ///< time from which on it is wanted
    uint64_t named_ns;          ///< time at which the source's members were taken, 0: never
    bool is_over;               ///< nothing more is passed on
    char invitation[BKS_INVITATION_BYTES_MAX];
} bksi_relay;

/// Bind the socket, and create the source.
/// @param key  key of the feed
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
bks_status bksi_relay_open(bksi_relay *relay, const bks_feed_config *config,
                           const uint8_t key[BKS_KEY_BYTES], bks_error *error);

/// Say goodbye to all watchers, and release everything.
void bksi_relay_close(bksi_relay *relay);

/// Pass on what the receiver has, and send what is due. Call this after each update of the
/// receiver, also once the recording has ended.
/// @param packet  room for BKS_PACKET_BYTES_MAX
void bksi_relay_update(bksi_relay *relay, const bksi_feed_receiver *receiver, uint8_t *packet,
                       uint64_t now_ns);

/// Return true if a watcher still lacks bytes of a complete recording.
bool bksi_relay_owes(const bksi_relay *relay);

#endif
