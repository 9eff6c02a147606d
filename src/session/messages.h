// SPDX-License-Identifier: MIT

/// @file messages.h
/// Table of messages: when each may come and from which peers, what is done with it, which must be
/// sent to which peers, and how each is written. packets.h has the packets around messages.
///
/// To add a message: its type in wire/packet.h, its bytes in a file of src/wire, a row in
/// messages.c with the functions that receive and write it.

#ifndef BKSI_MESSAGES_H
#define BKSI_MESSAGES_H

#include "session/running_messages.h"

/// Return true if a message may come now from its sender.
/// @param peer  sender; BKS_PEERS_MAX: the sender is not in the roster
bool bksi_messages_may_come(bks_session *session, uint32_t peer, const bksi_guard_message *message);
/// Process a message that passed the guard.
/// @return false if the message is malformed or may not come now
bool bksi_messages_receive(bks_session *session, uint32_t peer, const bksi_guard_message *message);

/// Write the next message to any peer.
/// @param body  receives the message, room for BKSI_BODY_BYTES_MAX
/// @return false if no message must be sent
bool bksi_messages_next(bks_session *session, session_outgoing *message, uint8_t *body);

#endif
