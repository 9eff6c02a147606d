// SPDX-License-Identifier: MIT

/// @file options.h
/// Check of option values from a caller.

#ifndef BKSI_OPTIONS_H
#define BKSI_OPTIONS_H

#include "backstitch/game.h"

/// Check that every value ends within BKS_OPTION_VALUE_BYTES and is printable ASCII. The game's
/// `configure` checks the meaning.
/// @param game  game, which was checked before
/// @param call  id of the log line
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the option and the range)
bks_status bksi_option_values_check(const bks_game *game, const bks_option_values *values,
                                    const char *call, bks_error *error);

#endif
