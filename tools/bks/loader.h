// SPDX-License-Identifier: MIT

/// @file loader.h
/// Finds games and loads them: plug-ins, shared objects with the symbol `bks_plugin_main`.
///
/// A name such as "duel" means the file duel.so in the first of these folders that has it: those of
/// BKS_GAME_PATH (separated by colons), the program's own, and ../lib/backstitch and
/// ../lib/ARCH/backstitch beside it. What holds a slash or ends in ".so" is a file's path.

#ifndef BKS_TOOL_LOADER_H
#define BKS_TOOL_LOADER_H

#include "backstitch/plugin.h"
#include "json.h"

/// A loaded game. It stays loaded until the program ends: logs and threads may still refer to it.
typedef struct loaded_game {
    const bks_plugin *plugin; ///< checked, not NULL
    const bks_game *game;     ///< plugin->game
    const char *path;         ///< the file
} loaded_game;

/// Load the game that the user named; what is wrong is said on stderr.
/// @param name  as typed
/// @param out   receives the game
/// @return TOOL_OK; TOOL_MISUSE for a name that is not found; TOOL_DAMAGED for a file that cannot
///         be loaded
int loader_open(const char *name, loaded_game *out);

/// Find and load every game there is, sorted by name; a file that is no game is passed over.
/// @param out       receives them
/// @param capacity  length of out
/// @return how many were found
uint32_t loader_list(loaded_game *out, uint32_t capacity);

/// Option values from a list of "NAME=VALUE"; what is wrong is said on stderr.
/// @param given  as typed, `count` of them
/// @return TOOL_OK, TOOL_MISUSE
int loader_options(const bks_game *game, const char *const *given, uint32_t count,
                   bks_option_values *out);

#endif
