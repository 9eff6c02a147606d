// SPDX-License-Identifier: MIT

/// @file setup.h
/// What the host hands to everyone before the start: the values of the game's options.
/// Bytes: a count, then each value as one length byte and its text.

#ifndef BKSI_SETUP_H
#define BKSI_SETUP_H

#include "backstitch/game.h"

/// @return bytes written, 0 when they do not fit `capacity`
size_t bksi_setup_write(const bks_game *game, const bks_option_values *values, uint8_t *bytes,
                        size_t capacity);

/// Names the options that the values belong to: games with others do not understand each other.
uint64_t bksi_setup_form(const bks_game *game);

/// @return false when the bytes are not values for this game's options
bool bksi_setup_read(const bks_game *game, const uint8_t *bytes, size_t count,
                     bks_option_values *values);

#endif
