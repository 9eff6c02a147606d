// SPDX-License-Identifier: MIT

/// @file start_state.h
/// State of the first tick on its way from the host to guests: a match that begins with a state,
/// not with `init`, hands it out before the start, on the match's own socket, as the beginning of a
/// feed whose key only players have.

#ifndef BKSI_START_STATE_H
#define BKSI_START_STATE_H

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"
#include "feed/feed_receiver.h"
#include "feed/feed_source.h"

typedef struct bksi_start_state {
    bks_allocator allocator;
    bksi_feed_source *source;     ///< host: hands out the state; NULL: there is none
    bksi_feed_receiver *receiver; ///< guest: the state comes; NULL: none is awaited
    bool is_guest;
    bks_address host;           ///< guest: address of the host
    uint8_t key[BKS_KEY_BYTES]; ///< guest: key of the feed
    bool has_ended;             ///< guest: the state is here, or does not come: say goodbye
    uint64_t report_ns;         ///< guest: time of the next report to the player, 0: none yet
    uint8_t *state;             ///< guest: the state; NULL: not here
    size_t state_bytes;
} bksi_start_state;

/// Hand out config->start_state if we are the host, and be ready to get one if we have none.
/// @param key  the match's key
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO, BKS_ERR_BAD_CONFIG
bks_status bksi_start_state_open(bksi_start_state *start, const bks_match_config *config,
                                 const bks_address *host, const uint8_t key[BKS_KEY_BYTES],
                                 bks_peer *peer, bks_error *error);
void bksi_start_state_close(bksi_start_state *start);

/// Process a packet, if it is one of a state.
/// @return false if it is not
bool bksi_start_state_receive(bksi_start_state *start, uint64_t now_ns, const bks_address *from,
                              const uint8_t *packet, size_t count);

/// Hand out, or ask for, the state, and give it to the peer once it is here. Call this after each
/// update of the peer, once all its packets are sent.
/// @param packet  room for BKS_PACKET_BYTES_MAX
/// @param out     receives BKS_EVENT_LOADING
/// @return true if the event must be reported
bool bksi_start_state_update(bksi_start_state *start, bks_peer *peer,
                             const bks_transport *transport, uint8_t *packet, uint64_t now_ns,
                             bks_event *out);

/// Return when something is due to be sent; UINT64_MAX: nothing.
uint64_t bksi_start_state_wake(const bksi_start_state *start);

#endif
