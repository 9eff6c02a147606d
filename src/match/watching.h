// SPDX-License-Identifier: MIT

/// @file watching.h
/// Watchers of a match: the source of the feed on the match's own socket. A match that no other
/// machine can join has none, and every call does nothing. Without watchers in the config the
/// source only says so to those who have the key.

#ifndef BKSI_WATCHING_H
#define BKSI_WATCHING_H

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"
#include "feed/feed_source.h"

typedef struct bksi_watching {
    bksi_feed_source *source; ///< NULL: no packet comes
    bool is_started;          ///< the source was told that the match has started
} bksi_watching;

/// Check the config's fields about watchers.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_watching_check(const bks_match_config *config, bks_error *error);

/// Create the source that the config asks for.
/// @param key  the match's key
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
bks_status bksi_watching_open(bksi_watching *watching, const bks_match_config *config,
                              const uint8_t key[BKS_KEY_BYTES], bks_error *error);
void bksi_watching_close(bksi_watching *watching);

/// Take a packet, if it is one of a feed.
/// @return false if it is not
bool bksi_watching_receive(bksi_watching *watching, uint64_t now_ns, const bks_address *from,
                           const uint8_t *packet, size_t count);

/// Take what an update of the match has settled.
void bksi_watching_update(bksi_watching *watching, bks_peer *peer, uint64_t now_ns);

/// Send what is due. Call this after the match has sent all it wants.
/// @param packet  room for BKS_PACKET_BYTES_MAX
void bksi_watching_send(bksi_watching *watching, const bks_transport *transport, uint8_t *packet,
                        uint64_t now_ns);

/// Record a line of text for the watchers.
void bksi_watching_note(bksi_watching *watching, const char *text);

/// Complete the recording for watchers, before this machine leaves the match.
void bksi_watching_finish(bksi_watching *watching, bks_peer *peer, uint64_t now_ns);

/// Say goodbye to all watchers.
void bksi_watching_leave(bksi_watching *watching, const bks_transport *transport, uint8_t *packet,
                         uint64_t now_ns);

/// Return when something is due to be sent; UINT64_MAX: nothing.
uint64_t bksi_watching_wake(const bksi_watching *watching);

/// Return true if a watcher still lacks bytes of the complete recording.
bool bksi_watching_owes(const bksi_watching *watching);

#endif
