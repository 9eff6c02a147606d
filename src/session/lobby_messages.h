// SPDX-License-Identifier: MIT

/// @file lobby_messages.h
/// What the messages of the lobby say. Nothing is changed by it.

#ifndef BKSI_LOBBY_MESSAGES_H
#define BKSI_LOBBY_MESSAGES_H

#include "backstitch/session.h"

#include "base/bytes.h"
#include "wire/roster.h"

/// Guests that do not reach each other for this long, as behind some NATs, start all the same:
/// others pass on what they say.
#define LINK_PATIENCE_NS (2 * NS_PER_SECOND)

/// Whether a guest has the state of tick 0 and reaches all others.
bool bksi_lobby_guest_is_ready(const bks_session *session);
void bksi_lobby_write_roster(const bks_session *session, uint32_t index, bksi_byte_writer *writer);
void bksi_lobby_write_join(const bks_session *session, bksi_byte_writer *writer);
/// Guest: whether a roster has us in it, and is of the match whose state we may have made.
bool bksi_lobby_roster_fits(const bks_session *session, const bksi_roster_message *roster);
void bksi_lobby_write_link(const bks_session *session, uint32_t index, bksi_byte_writer *writer);

#endif
