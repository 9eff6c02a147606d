// SPDX-License-Identifier: MIT

/// @file source_file.h
/// The files that players' inputs can come from: input_log tables and recordings, loaded whole.

#ifndef BKS_TOOL_SOURCE_FILE_H
#define BKS_TOOL_SOURCE_FILE_H

#include "backstitch/game.h"

/// One file. Opaque.
typedef struct source_file source_file;

/// Load a file; errors go to stderr.
/// @param game  whose input layout is wanted; must outlive the file
/// @return TOOL_OK, TOOL_DAMAGED
/// Owned by the caller; release with source_file_close().
int source_file_open(const char *path, bool is_replay, const bks_game *game, source_file **out);

/// Release a file. NULL is allowed.
void source_file_close(source_file *file);

/// Whether this is that file.
bool source_file_is(const source_file *file, bool is_replay, const char *path);

/// Check that it has a player's inputs for ticks 0 to ticks-1; if not, say so on stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int source_file_check(const source_file *file, uint32_t player, bks_tick ticks);

/// One input.
/// @param values  field_count values; untouched when there is none
/// @return whether the file has it
bool source_file_input(const source_file *file, uint32_t player, bks_tick tick, int32_t *values);

#endif
