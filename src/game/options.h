// SPDX-License-Identifier: MIT

/// @file options.h
/// Option values that a caller hands over.

#ifndef BKSI_OPTIONS_H
#define BKSI_OPTIONS_H

#include "backstitch/game.h"

/// Whether every value ends within BKS_OPTION_VALUE_BYTES and is printable ASCII. What a value
/// means is for the game's `configure` to check.
/// @param game  checked before
/// @param call  the id of the log line
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the option and the range)
bks_status bksi_option_values_check(const bks_game *game, const bks_option_values *values,
                                    const char *call, bks_error *error);

#endif
