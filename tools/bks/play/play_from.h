// SPDX-License-Identifier: MIT

/// @file play_from.h
/// Tick of a recording from which a match over the network goes on: `bks play --take-over --host`.

#ifndef BKS_TOOL_PLAY_FROM_H
#define BKS_TOOL_PLAY_FROM_H

#include "backstitch/game.h"
#include "game/loader.h"

/// Beginning of a match, from a recording. Release with play_from_close().
typedef struct play_from {
    bks_tick tick;
    void *state; ///< state at the start of `tick`; NULL: the match begins as usual
    size_t state_bytes;
    uint32_t players; ///< seats of the recorded match
    uint64_t seed;    ///< seed of the recorded match
    bks_option_values options;
} play_from;

/// Step a recording to a tick. Errors go to stderr.
/// @param game_name  name of the game as typed
/// @param game       receives the build that made the recording, if there are several
/// @return TOOL_OK, TOOL_NO, TOOL_MISUSE, TOOL_DAMAGED
int play_from_open(const char *path, bks_tick tick, const char *game_name, loaded_game *game,
                   play_from *out);

void play_from_close(play_from *from);

#endif
