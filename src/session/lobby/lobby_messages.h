// SPDX-License-Identifier: MIT

/// @file lobby_messages.h
/// What the messages of the lobby say. Nothing is changed by it.

#ifndef BKSI_LOBBY_MESSAGES_H
#define BKSI_LOBBY_MESSAGES_H

#include "base/bytes.h"
#include "session/lobby/start.h"
#include "wire/roster.h"

/// @param start_ns  the time of the first tick, once there is one
/// @param change    number of the roster's newest change
void bksi_lobby_write_roster(const session_common *common, const session_start *start,
                             uint64_t start_ns, uint32_t change, uint32_t index,
                             bksi_byte_writer *writer);
/// @param is_ready  we have the state of the first tick and reach all others
void bksi_lobby_write_join(const session_common *common, const session_start *start, bool is_ready,
                           bksi_byte_writer *writer);
/// Guest: whether a roster has us in it, and is of the match whose state we may have made.
bool bksi_lobby_roster_fits(const session_common *common, const session_start *start,
                            const bksi_roster_message *roster);

#endif
