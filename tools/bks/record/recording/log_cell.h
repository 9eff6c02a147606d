// SPDX-License-Identifier: MIT

/// @file log_cell.h
/// Log of a recording by tick, and the entries of one tick as a few short lines.

#ifndef BKS_TOOL_LOG_CELL_H
#define BKS_TOOL_LOG_CELL_H

#include "backstitch/match.h"
#include "record/recording/replay_file.h"

/// The log entries made while one tick was the next to be stepped.
typedef struct log_group {
    bks_tick tick;  ///< tick that was the next to be stepped
    uint32_t first; ///< index of the group's first log entry
    uint32_t end;   ///< one past the index of the group's last log entry
} log_group;

/// Match log of a recording. Start from {0}.
typedef struct log_entries {
    replay_file file;
    bks_log_entry *items;
    uint32_t count;
    log_group *groups; ///< groups by tick, each tick at most once
    uint32_t group_count;
} log_entries;

/// Load the log of a recording; errors go to stderr.
/// @param path  must outlive the log
/// @return TOOL_OK; TOOL_NO if the recording has no log; TOOL_DAMAGED
/// Release with log_close(), whatever the result.
int log_open(log_entries *log, const char *path);
void log_close(log_entries *log);

/// Find the group of a tick. If the tick has none, find the group of the next tick that has one.
/// @return index of the group; log->group_count: none
uint32_t log_group_from(const log_entries *log, bks_tick tick);

/// Find the lower half of the last hash of a tick's state.
/// @return false: the log has none
bool log_hash(const log_entries *log, bks_tick tick, uint32_t *out);

/// Return the first tick for which two logs have different last hashes.
/// @return BKS_TICK_NONE: none
bks_tick log_first_different(const log_entries *a, const log_entries *b);

enum { LOG_CELL_LINES_MAX = 64, LOG_CELL_LINE_BYTES = 161 };

/// Entries of a match log as text, in lines of a limited width.
typedef struct log_cell {
    uint32_t width;
    uint32_t count;
    char lines[LOG_CELL_LINES_MAX][LOG_CELL_LINE_BYTES];
} log_cell;

/// Write a group of log entries as lines of text. If there are too many lines, the last one is
/// "...".
/// @param width  greatest width of a line, 20 to 160
void log_cell_fill(log_cell *cell, const log_entries *log, uint32_t group, uint32_t width);

#endif
