// SPDX-License-Identifier: MIT

/// @file relays.h
/// Messages about views that pass through a third peer. relays.c alone writes this; others ask.

#ifndef BKSI_RELAYS_H
#define BKSI_RELAYS_H

#include "session/inputs.h"
#include "wire/mesh_messages.h"
#include "wire/packet.h"
#include "wire/view_messages.h"

/// A ballot sends one message for each other peer through a peer at once. More come again later.
#define RELAYS_MAX BKS_PEERS_MAX

/// A message of one peer for another on its way through us.
typedef struct session_relay {
    bksi_relay_head head;
    uint32_t from; ///< the peer that passed it to us
    size_t bytes;
    uint8_t body[BKSI_BODY_BYTES_MAX];
} session_relay;

typedef struct session_relays {
    session_relay waiting[RELAYS_MAX]; ///< to be passed on
    uint32_t count;
    bool takes_relay[BKS_PEERS_MAX]; ///< by peer: the next message to it goes through a third one
} session_relays;

/// A message for us that came through another peer.
typedef struct session_relayed {
    bool is_ours;
    uint32_t from;
    const uint8_t *body;
    size_t bytes;
} session_relayed;

/// Whether a VIEW may pass through a third peer: a PROPOSE or an ANSWER.
bool bksi_relays_takes(const uint8_t *view, size_t count);
/// Every other message to a peer that we do not hear goes through a third one.
/// @return through whom this one goes, BKS_PEERS_MAX: through none
uint32_t bksi_relays_choose(session_relays *relays, const session_inputs *inputs,
                            const session_common *common, uint32_t peer);
/// Put a head before a message.
/// @return bytes of both
size_t bksi_relays_wrap(const bksi_relay_head *head, uint8_t *body, size_t count);
/// The message that waits to be passed on.
/// @param to  receives whom it goes to
/// @return bytes, 0 when there is no way
size_t bksi_relays_write(session_relays *relays, const session_inputs *inputs,
                         const session_common *common, uint8_t *body, uint32_t *type, uint32_t *to);
/// Take a message to be passed on, or find that it is for us.
bool bksi_relays_receive(session_relays *relays, const session_common *common, uint32_t peer,
                         const uint8_t *body, size_t count, session_relayed *relayed);
/// Whether a message waits.
static inline bool bksi_relays_wait(const session_relays *relays)
{
    return relays->count > 0;
}

#endif
