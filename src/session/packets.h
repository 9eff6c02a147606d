// SPDX-License-Identifier: MIT

/// @file packets.h
/// Packets that arrive and packets to send, which enclose the session's messages. The guard opens
/// and seals packets, CARRIED bundles them, and their bytes count against the rate of their line.

#ifndef BKSI_PACKETS_H
#define BKSI_PACKETS_H

#include "backstitch/session.h"

#include "net/guard.h"

void bksi_packets_receive(bks_session *session, const bks_address *from, const void *bytes,
                          size_t count);
/// Process a message that passed the guard.
/// @return false if the message is malformed or may not come now
bool bksi_packets_take(bks_session *session, const bksi_guard_message *message);
/// Write the next packet to send.
/// @return bytes of the packet; 0: none
size_t bksi_packets_send(bks_session *session, bks_address *to, void *bytes);

#endif
