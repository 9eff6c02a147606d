// SPDX-License-Identifier: MIT

/// @file match_config.h
/// Checks of a match config, and its conversion to a peer config.

#ifndef BKSI_MATCH_CONFIG_H
#define BKSI_MATCH_CONFIG_H

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"

/// Check the fields that only a match has. The peer and the session check the other fields under
/// the same names.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the field and the range)
bks_status bksi_match_config_check(const bks_match_config *config, bks_error *error);

/// Return true if no peer can join: a host whose players are all local, without a custom transport.
bool bksi_match_config_is_alone(const bks_match_config *config);

/// Return true if the config has a key of the match.
bool bksi_match_config_has_key(const bks_match_config *config);

/// Fill in the fields of a peer's config that a match's config sets. If no peer can join, set
/// window 0.
void bksi_match_config_to_peer(const bks_match_config *config, bks_peer_config *peer);

/// Name a field of the config as the cause of a failure.
/// @return BKS_ERR_BAD_CONFIG for BKS_ERR_BAD_ARGUMENT, other statuses as they are
bks_status bksi_match_config_field(bks_status status, const char *field, bks_error *error);

#endif
