// SPDX-License-Identifier: MIT

/// @file inside.h
/// What is in sealed packets, and messages handed to a session as if they had come sealed: what a
/// hostile member of the match can do. Used by fuzz targets too.

#ifndef TESTS_INSIDE_H
#define TESTS_INSIDE_H

#include "session/packets.h"
#include "session/session_internal.h"

/// Read a sealed packet on its way to a session, which does not notice.
/// @param body  room for BKSI_BODY_BYTES_MAX
/// @return its type; 0 for a handshake, a packet that came already, or one for somebody else
uint32_t inside_read(const bks_session *to, const uint8_t *packet, size_t count, uint8_t *body,
                     size_t *body_bytes);

/// Hand a session a message of another session's peer, NULL: of somebody with the match key. What
/// it refuses is counted as a packet would be.
void inside_say(bks_session *to, uint64_t now_ns, const bks_session *from, uint32_t type,
                const void *body, size_t body_bytes);

/// The body of an INPUT with plain inputs, all like the one before.
/// @param head  at most 8000 inputs
/// @param body  room for BKSI_BODY_BYTES_MAX
/// @return its bytes
size_t inside_input(const bksi_input_head *head, uint8_t *body);

#endif
