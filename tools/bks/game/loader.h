// SPDX-License-Identifier: MIT

/// @file loader.h
/// Finds and loads games. A game is a plug-in: a shared object with the symbol `bks_plugin_main`.
///
/// A name such as "duel" means the file duel.so in one of the folders of games. The first folder
/// that has the file counts. The folders are: those of BKS_GAME_PATH (separated by colons), the
/// program's own, and beside it ../lib/backstitch, ../lib64/backstitch and ../lib/ARCH/backstitch.
/// A text that holds a slash or ends in ".so" is the path of a file.

#ifndef BKS_TOOL_LOADER_H
#define BKS_TOOL_LOADER_H

#include "backstitch/plugin.h"
#include "backstitch/toolkit/recording.h"
#include "base/json.h"

/// A loaded game. It stays loaded until the program ends: logs and threads may still refer to it.
typedef struct loaded_game {
    const bks_plugin *plugin; ///< description of the plug-in: checked, not NULL
    const bks_game *game;     ///< description of the game: plugin->game
    const char *path;         ///< path of the plug-in's file
    const char *build;        ///< name of the plug-in's build, see build_id_of()
    /// Faults of the plug-in's compiled arithmetic, bits of bks_arithmetic.
    uint32_t arithmetic;
} loaded_game;

/// Load the game that the user named; errors go to stderr.
/// @param name  as typed
/// @param out   receives the game
/// @return TOOL_OK; TOOL_MISUSE: no game has the name; TOOL_DAMAGED: the file cannot be loaded
int loader_open(const char *name, loaded_game *out);

/// Load a game from the folders of games. A text that looks like a path finds nothing. Errors go to
/// stderr.
/// @param path  path of the recording that names the game, NULL: none
/// @param name  name of the game
/// @return a status of loader_open()
int loader_open_named(const char *path, const char *name, loaded_game *out);

/// Load the game of a recording. Prefers the build that made the recording, whatever the name of
/// its file. If no folder of games has that build, loads the game of the given name. Errors go to
/// stderr.
/// @param path  path of the recording
/// @param name  name or path of the game as typed; a path is loaded whatever its build. NULL: the
///              name in the recording, never a path, because loading a file runs its code
/// @param info  description of the recording
/// @param out   receives the game
/// @return a status of loader_open()
int loader_open_recorded(const char *path, const char *name, const bks_recording *info,
                         loaded_game *out);

/// Report on stderr if the build that steps a recording is not the one that made it, because this
/// may explain why states differ. An unknown build is not reported.
/// @param path  path of the recording
void loader_compare_builds(const char *path, const bks_recording *info, const loaded_game *game);

/// Load all games in the folders of games. A shared object that is no game is reported on stderr.
/// @param out       receives the games, sorted by name
/// @param capacity  length of `out`
/// @return number of games
uint32_t loader_list(loaded_game *out, uint32_t capacity);

/// Read option values from texts "NAME=VALUE"; errors go to stderr.
/// @param given  `count` texts as typed
/// @param out    receives the values; options that are not given have their defaults
/// @return TOOL_OK, TOOL_MISUSE
int loader_options(const bks_game *game, const char *const *given, uint32_t count,
                   bks_option_values *out);

/// Check a number of players for a game; an error goes to stderr.
/// @param players  value of --players; 0: take `usual`
/// @param out      receives the number
/// @return TOOL_OK, TOOL_MISUSE
int loader_players(const bks_game *game, int64_t players, uint32_t usual, uint32_t *out);

/// Bytes of a build's name: 16 hexadecimal digits and a zero.
enum { BUILD_ID_BYTES = 17 };

/// Name the build of a loaded object: by the start of its linked build ID, or else by a hash of its
/// file.
/// @param symbol  an address in the object
/// @param path    path of the object's file
/// @param out     receives the name; "": the object has no build ID and its file cannot be read
void build_id_of(const void *symbol, const char *path, char out[BUILD_ID_BYTES]);

#endif
