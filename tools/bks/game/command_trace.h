// SPDX-License-Identifier: MIT

/// @file command_trace.h
/// Streams of commands from real play, as text. Lines that begin with # are the header. The first
/// other line names the columns. Each later line is what one player sent at one tick, as one
/// command; a player may have several lines at a tick.
///
///     # game: …
///     tick,player,nbytes,hexpayload
///     23,1,4,0c400001
///
/// Files are not trusted: the parser refuses wrong ones and names the line.

#ifndef BKS_TOOL_COMMAND_TRACE_H
#define BKS_TOOL_COMMAND_TRACE_H

#include "game/command_list.h"

/// Line of a command trace that names the columns.
#define COMMAND_TRACE_COLUMNS "tick,player,nbytes,hexpayload"

/// Return true if the first line of a text that is no header names the columns of a command trace.
bool command_trace_is(const char *text, size_t count);

/// Read the commands of a text for which command_trace_is() is true.
/// @param largest  largest command that the game takes, in bytes
/// @param list     {0}; receives the commands, sorted. On failure it is empty.
/// @param error    names the line, and the offset into `text`
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (the last line is cut, or there are no
///         commands), BKS_ERR_UNSUPPORTED (a command is larger than `largest`),
///         BKS_ERR_OUT_OF_MEMORY
bks_status command_trace_parse(const char *text, size_t count, uint32_t largest, command_list *list,
                               bks_error *error);

#endif
