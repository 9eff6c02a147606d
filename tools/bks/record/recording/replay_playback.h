// SPDX-License-Identifier: MIT

/// @file replay_playback.h
/// A recording stepped by its game, with errors on stderr.

#ifndef BKS_TOOL_REPLAY_PLAYBACK_H
#define BKS_TOOL_REPLAY_PLAYBACK_H

#include "game/loader.h"
#include "record/recording/replay_file.h"

/// Load the game of a recording and begin a playback.
/// @param game_name  as typed, NULL: found by the recording's own
/// @param game       receives the game
/// @param out        receives the playback; release with bks_playback_destroy()
/// @return TOOL_OK, else the exit status
int replay_playback_open(const replay_file *file, const char *game_name, loaded_game *game,
                         bks_playback **out);

/// Seek to a tick of the recording.
/// @return TOOL_OK, else the exit status
int replay_playback_seek(const replay_file *file, bks_playback *playback, bks_tick tick);

/// Read a tick as typed, one that the recording has.
/// @return TOOL_OK, TOOL_MISUSE
int replay_playback_tick(const replay_file *file, const char *text, bks_tick *out);

/// Compare the hash of the state as it is with the one recorded.
/// @return TOOL_OK, also for a tick that is not confirmed; TOOL_NO
int replay_playback_compare(const replay_file *file, bks_tick tick, uint64_t hash);

#endif
