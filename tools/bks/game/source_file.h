// SPDX-License-Identifier: MIT

/// @file source_file.h
/// Files that inputs and commands come from: input logs, command traces and recordings, read whole.

#ifndef BKS_TOOL_SOURCE_FILE_H
#define BKS_TOOL_SOURCE_FILE_H

#include "game/command_list.h"

/// A file that inputs come from. Opaque. Any number of seats may share it.
typedef struct source_file source_file;

/// Load a file; errors go to stderr.
/// @param game  game whose input layout the file must have, and whose command_bytes_max the file's
///              commands must not exceed; must outlive the file
/// @return TOOL_OK, TOOL_DAMAGED
/// Owned by the caller; release with source_file_close().
int source_file_open(const char *path, bool is_replay, const bks_game *game, source_file **out);

/// Release a file of inputs. NULL is allowed.
void source_file_close(source_file *file);

/// Return true if the file was opened from this path as a file of this kind.
bool source_file_is(const source_file *file, bool is_replay, const char *path);

/// Check that a file has a player's inputs for ticks 0 to ticks-1; of a command trace, that it has
/// commands of the player. If not, report it on stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int source_file_check(const source_file *file, uint32_t player, bks_tick ticks);

/// Get the input of a player at a tick.
/// @param values  receives field_count values; unchanged if the file does not have the input, and
///                by a command trace, whose inputs are neutral
/// @return true if the file has the input
bool source_file_input(const source_file *file, uint32_t player, bks_tick tick, int32_t *values);

/// Return the file's commands. The list is empty for an input log.
const command_list *source_file_commands(const source_file *file);

#endif
