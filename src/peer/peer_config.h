// SPDX-License-Identifier: MIT

/// @file peer_config.h
/// What a peer needs of its config before anything is made: all that the session does not check.
/// The configs of a match and a lab are checked by it too, as what they make of a peer.

#ifndef BKSI_PEER_CONFIG_H
#define BKSI_PEER_CONFIG_H

#include "backstitch/toolkit/peer.h"

/// @param call  the id of the log line
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (game is NULL), BKS_ERR_BAD_CONFIG (error names the field
///         and the range)
bks_status bksi_peer_config_check(const bks_peer_config *config, const char *call,
                                  bks_error *error);

#endif
