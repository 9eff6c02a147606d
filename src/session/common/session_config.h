// SPDX-License-Identifier: MIT

/// @file session_config.h
/// Check of a session's config, and of a bks_tuning, which other configs have, too.

#ifndef BKSI_SESSION_CONFIG_H
#define BKSI_SESSION_CONFIG_H

#include "backstitch/session.h"
#include "input/command_log.h"

/// Check that every value of a tuning is in its range.
/// @param call   name of the public function, for the log
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the field, such as "tuning.pace", and its range)
bks_status bksi_tuning_check(const bks_tuning *tuning, const char *call, bks_error *error);

bks_status bksi_session_config_check(const bks_session_config *config, bks_error *error);
/// Return true if all players of the match are on this machine.
static inline bool bksi_session_is_alone(const bks_session_config *config)
{
    return config->is_host && config->local_players == config->players;
}

/// Get the longest input delay that the match may have. The room for commands is sized for it.
uint32_t bksi_session_delay_most(const bks_session_config *config);
/// Get the sizes of commands and the rule of their admission (input/command_log.h).
bksi_command_config bksi_session_command_config(const bks_session_config *config);
/// Get the first seat that a guest wants, as sent in JOIN.
/// @return the seat; -1: the next free one
int32_t bksi_session_wanted_seat(const bks_session_config *config);

#endif
