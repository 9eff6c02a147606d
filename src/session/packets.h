// SPDX-License-Identifier: MIT

/// @file packets.h
/// Packets in and out, by type.

#ifndef BKSI_PACKETS_H
#define BKSI_PACKETS_H

#include "backstitch/session.h"

#include "net/guard.h"

/// packets_out.c alone writes this.
typedef struct session_packets {
    uint32_t owed_inputs; ///< bits: peers that an INPUT goes to
    uint32_t owed_probes; ///< bits: and once more, if another way is to be tried
    uint32_t to;          ///< the peer that the newest packet went to, BKS_PEERS_MAX: none of ours
    uint64_t sent;
    uint64_t payload_bytes;
    uint64_t seal_bytes;
} session_packets;

/// packets_in.c alone writes this.
typedef struct session_packets_in {
    uint32_t from; ///< the peer that the newest one came from, BKS_PEERS_MAX: none of ours
    uint64_t received;
    uint64_t refused;
} session_packets_in;

void bksi_packets_receive(bks_session *session, const bks_address *from, const void *bytes,
                          size_t count);
/// Take in a message that passed the guard.
/// @return false when it makes no sense
bool bksi_packets_take(bks_session *session, const bksi_guard_message *message);
/// Packets go with the ticks, as the rate allows.
void bksi_packets_owe(bks_session *session);
/// The next packet.
/// @return its bytes, 0: none
size_t bksi_packets_send(bks_session *session, bks_address *to, void *bytes);
/// Whether we have, certain and checked, every tick of the match.
bool bksi_packets_has_every_tick(const bks_session *session);

#endif
