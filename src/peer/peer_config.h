// SPDX-License-Identifier: MIT

/// @file peer_config.h
/// Checks of a peer's config before anything is created, for everything that the session does not
/// check. Configs of a match and of the lab are checked here too, after their conversion to a
/// peer's config.

#ifndef BKSI_PEER_CONFIG_H
#define BKSI_PEER_CONFIG_H

#include "backstitch/game.h"
#include "backstitch/toolkit/peer.h"

/// Check a peer's config.
/// @param call  the id of the log line
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (game is NULL), BKS_ERR_BAD_CONFIG (error names the field
///         and the range)
bks_status bksi_peer_config_check(const bks_peer_config *config, const char *call,
                                  bks_error *error);

// Setup that the host sends to everyone before the start: the values of the game's options, as a
// count, then each value as one length byte and its text. The count has a bit more if the match
// does not begin with the state that `init` makes.

/// Bit of a setup's first byte: the match begins with a state that the host hands out.
#define BKSI_SETUP_HAS_STATE 0x80u

/// Write the values of the game's options as a setup.
/// @return bytes written; 0: they do not fit `capacity`
size_t bksi_setup_write(const bks_game *game, const bks_option_values *values, uint8_t *bytes,
                        size_t capacity);

/// Hash the names of the options: games with different options cannot play together.
uint64_t bksi_setup_form(const bks_game *game);

/// Return true if a setup has BKSI_SETUP_HAS_STATE.
bool bksi_setup_has_state(const void *bytes, size_t count);

/// Read a setup, whatever state the match begins with.
/// @return false if the bytes are not values for this game's options
bool bksi_setup_read(const bks_game *game, const uint8_t *bytes, size_t count,
                     bks_option_values *values);

#endif
