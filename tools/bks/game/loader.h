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
#include "backstitch/toolkit/recording.h"
#include "base/json.h"

/// A loaded game. It stays loaded until the program ends: logs and threads may still refer to it.
typedef struct loaded_game {
    const bks_plugin *plugin; ///< checked, not NULL
    const bks_game *game;     ///< plugin->game
    const char *path;         ///< the file
    const char *build;        ///< names its build, see build_id.h
    uint32_t arithmetic;      ///< faults of how it was compiled, bits of bks_arithmetic
} loaded_game;

/// Load the game that the user named; errors go to stderr.
/// @param name  as typed
/// @param out   receives the game
/// @return TOOL_OK; TOOL_MISUSE for a name that is not found; TOOL_DAMAGED for a file that cannot
///         be loaded
int loader_open(const char *name, loaded_game *out);

/// Load the game of this name from the folders of games: a name, whatever it looks like, never a
/// path.
/// @param path  the recording that names it, NULL: none
/// @return as loader_open()
int loader_open_named(const char *path, const char *name, loaded_game *out);

/// Load the game that a recording is of. Of several builds in the folders it is the one that
/// recorded, whatever its file is called; without it the one that the name means.
/// @param path  the recording
/// @param name  as typed, when a path it is taken as it is, whatever its build; NULL: the
/// recording's,
///              which is never a path, since loading a file runs it
/// @param info  of the recording
/// @param out   receives the game
/// @return as loader_open()
int loader_open_recorded(const char *path, const char *name, const bks_recording *info,
                         loaded_game *out);

/// Print which build recorded and which one stepped, unless they are equal or unknown. It may
/// explain why a recording does not step as it was.
/// @param path  the recording
void loader_compare_builds(const char *path, const bks_recording *info, const loaded_game *game);

/// Find and load every game there is, sorted by name; a shared object that is no game is named on
/// stderr, with the reason.
/// @param out       receives them
/// @param capacity  length of out
/// @return how many were found
uint32_t loader_list(loaded_game *out, uint32_t capacity);

/// Option values from a list of "NAME=VALUE"; errors go to stderr.
/// @param given  as typed, `count` of them
/// @return TOOL_OK, TOOL_MISUSE
int loader_options(const bks_game *game, const char *const *given, uint32_t count,
                   bks_option_values *out);

/// The first 64 bits of it as hexadecimal digits, and a zero.
enum { BUILD_ID_BYTES = 17 };

/// Name the build of a loaded object.
/// @param symbol  an address in it
/// @param path    its file
/// @param out     receives the name, "" when the file cannot be read either
void build_id_of(const void *symbol, const char *path, char out[BUILD_ID_BYTES]);

#endif
