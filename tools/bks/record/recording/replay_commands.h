// SPDX-License-Identifier: MIT

/// @file replay_commands.h
/// Prints the commands of a recording. All functions take whole ticks, from `from` up to and
/// without `until`; lost ticks are left out. If there are more commands than a file of that size
/// can have, the rest is left out with an error, and the file's status becomes TOOL_DAMAGED.

#ifndef BKS_TOOL_REPLAY_COMMANDS_H
#define BKS_TOOL_REPLAY_COMMANDS_H

#include "base/json.h"
#include "record/recording/replay_file.h"

/// Print each command as a header line of an input log, with its first bytes only if it is long.
void replay_commands_print(replay_file *file, bks_tick from, bks_tick until);

/// Print the commands as a command trace, which '--input P=trace:FILE' plays.
void replay_commands_print_trace(replay_file *file, bks_tick from, bks_tick until);

/// Write the commands as an array into the open JSON object.
void replay_commands_json(json *j, replay_file *file, bks_tick from, bks_tick until);

#endif
