// SPDX-License-Identifier: MIT

/// @file play_identity.h
/// Where `bks play` keeps what a player is known by after a restart: in the user's state folder.

#ifndef BKS_TOOL_PLAY_IDENTITY_H
#define BKS_TOOL_PLAY_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

/// Of a path, its end too.
#define PLAY_IDENTITY_PATH_BYTES 4096

/// $XDG_STATE_HOME/bks/identity, or $HOME/.local/state/bks/identity, on Windows
/// %APPDATA%/bks/identity; missing folders are made.
/// Where it cannot be had stderr says why: a restart is then another player.
/// @return false when it cannot be had
bool play_identity_path(char *path, size_t capacity);

#endif
