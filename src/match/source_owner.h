// SPDX-License-Identifier: MIT

/// @file source_owner.h
/// Making, dropping and sending from a feed's source, as each of its owners does: a match, a host
/// that hands out a state, a relay.

#ifndef BKSI_SOURCE_OWNER_H
#define BKSI_SOURCE_OWNER_H

#include "backstitch/session.h"
#include "feed/feed_source.h"

/// Create a source with a random identity.
/// @param config  without entropy, which is random too; wiped
/// @param out     set to the source; NULL if there is none
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO: the system gives no random bytes
bks_status bksi_source_make(bksi_feed_source_config *config, bksi_feed_source **out,
                            bks_error *error);

/// Destroy a source and set it to NULL. One that is NULL already is no error.
void bksi_source_drop(bksi_feed_source **source);

/// Writes the next packet of a source. @see bksi_feed_source_send(), bksi_feed_source_leave()
typedef size_t (*bksi_source_writer)(bksi_feed_source *source, bks_address *to, uint8_t *packet,
                                     uint64_t now_ns);

/// Send all packets that a source writes now.
/// @param source  NULL: nothing is sent
/// @param mark_1  second byte of each packet
/// @param packet  room for BKS_PACKET_BYTES_MAX
void bksi_source_send(bksi_feed_source *source, bksi_source_writer write, uint8_t mark_1,
                      const bks_transport *transport, uint8_t *packet, uint64_t now_ns);

#endif
