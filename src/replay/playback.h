// SPDX-License-Identifier: MIT

/// @file playback.h
/// A playback's runner, for what this room compares beyond hashes.

#ifndef BKSI_PLAYBACK_H
#define BKSI_PLAYBACK_H

#include "backstitch/replay.h"
#include "game/runner.h"

bksi_runner *bksi_playback_runner(bks_playback *playback);

#endif
