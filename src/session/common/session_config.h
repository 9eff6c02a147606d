// SPDX-License-Identifier: MIT

/// @file session_config.h
/// The one check of a session's config.

#ifndef BKSI_SESSION_CONFIG_H
#define BKSI_SESSION_CONFIG_H

#include "backstitch/session.h"

bks_status bksi_session_config_check(const bks_session_config *config, bks_error *error);
/// The first seat that a guest wants, as it goes over the wire.
/// @return the seat, -1: the next free one
int32_t bksi_session_wanted_seat(const bks_session_config *config);

#endif
