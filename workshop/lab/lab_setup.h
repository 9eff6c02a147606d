// SPDX-License-Identifier: MIT

/// @file lab_setup.h
/// What a match of the lab is made from: its config, its peers' configs and the random numbers that
/// its one seed gives.

#ifndef BKSI_LAB_SETUP_H
#define BKSI_LAB_SETUP_H

#include "backstitch/det.h"
#include "backstitch/toolkit/links.h"

/// Streams of random numbers that the one seed splits into.
typedef enum lab_stream {
    LAB_STREAM_IDS = 1,     ///< the match key, the peers' nonces and secrets
    LAB_STREAM_PHASE = 2,   ///< when each peer begins
    LAB_STREAM_FLIP = 3,    ///< which byte a planted fault hits
    LAB_STREAM_FORGE = 10,  ///< what a peer forges, and one for each
    LAB_STREAM_LINKS = 100, ///< and one for each direction
} lab_stream;

/// A generator of its own for each stream.
bks_random bksi_lab_random(uint64_t seed, uint64_t stream);

/// As bks_lab_peer_config(), of a config that was checked.
bks_peer_config bksi_lab_peer_config_of(const bks_lab_config *config, uint32_t index);

/// How a peer plays.
bks_tuning bksi_lab_tuning_of(const bks_lab_config *config, uint32_t index);

/// When virtual time is up for a match.
uint64_t bksi_lab_limit_ns(const bks_lab_config *config);

/// The address that a peer sends from.
/// @param rebinds  how often it has changed
bks_address bksi_lab_address(uint32_t peer, uint32_t rebinds);

#endif
