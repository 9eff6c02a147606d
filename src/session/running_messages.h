// SPDX-License-Identifier: MIT

/// @file running_messages.h
/// Messages of a running match: the functions of their rows in the table of messages.c.

#ifndef BKSI_RUNNING_MESSAGES_H
#define BKSI_RUNNING_MESSAGES_H

#include "backstitch/session.h"

#include "base/bytes.h"
#include "net/guard.h"
#include "net/route.h"

/// Message of any type that is to be sealed.
typedef struct session_outgoing {
    bksi_channel channel;
    uint32_t peer;     ///< receiver; BKS_PEERS_MAX: the receiver is not in the roster
    uint32_t type;     ///< type of the message, a bksi_packet_type
    uint32_t own_type; ///< type before packets of others were bundled with the message
    bksi_route route;
    uint32_t path;  ///< number of the route that the message takes
    bool has_route; ///< `route` and `path` are set
    bool is_lane;   ///< BULK: the message belongs to the lane of commands
    size_t count;   ///< bytes of the message's body
} session_outgoing;

/// Received message of any type.
typedef struct session_incoming {
    uint32_t peer; ///< sender; BKS_PEERS_MAX: the sender is not in the roster
    const bksi_guard_message *message;
} session_incoming;

/// Read a received message and pass its contents to the parts.
/// @param reader  reader over the message's body
/// @return false if the message is malformed; nothing changed then
typedef bool session_message_receive(bks_session *session, const session_incoming *in,
                                     bksi_byte_reader *reader);
/// Write a message to its receiver; write nothing if it need not be sent yet.
typedef void session_message_write(bks_session *session, session_outgoing *message,
                                   bksi_byte_writer *writer);

session_message_receive bksi_receive_hears, bksi_receive_hashes, bksi_receive_meet,
    bksi_receive_compare, bksi_receive_slow, bksi_receive_input, bksi_receive_bulk;
session_message_write bksi_write_hears, bksi_write_hashes, bksi_write_meet, bksi_write_compare,
    bksi_write_slow, bksi_write_input, bksi_write_bulk;

/// Record the peers to which an INPUT, or a repeated goodbye, is due after this update.
void bksi_owe_messages(bks_session *session);

/// Give a message the route in use.
void bksi_choose_route(const bks_session *session, session_outgoing *message);

#endif
