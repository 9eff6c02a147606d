// SPDX-License-Identifier: MIT

/// @file log_cell.h
/// What a peer did at one tick, in a log's entries, as a few short lines.

#ifndef BKS_TOOL_LOG_CELL_H
#define BKS_TOOL_LOG_CELL_H

#include "backstitch/match.h"
#include "record/recording/replay_file.h"

/// What happened while a peer stood at one tick.
typedef struct log_group {
    bks_tick tick;  ///< the next to be stepped
    uint32_t first; ///< entry
    uint32_t end;   ///< one past the last
} log_group;

/// A log. Start from {0}.
typedef struct log_entries {
    replay_file file;
    bks_log_entry *items;
    uint32_t count;
    log_group *groups; ///< by tick, each at most once
    uint32_t group_count;
} log_entries;

/// Load the log of a recording; errors go to stderr.
/// @param path  must outlive the log
/// @return TOOL_OK; TOOL_NO when it has none; TOOL_DAMAGED
/// Release with log_close(), whatever came back.
int log_open(log_entries *log, const char *path);
void log_close(log_entries *log);

/// The group of a tick or of the next one.
/// @return its number, log->group_count: none
uint32_t log_group_from(const log_entries *log, bks_tick tick);

/// The last hash that the state at a tick had, its lower half.
/// @return false when none is in the log
bool log_hash(const log_entries *log, bks_tick tick, uint32_t *out);

/// The first tick whose last hashes differ in two logs.
/// @return BKS_TICK_NONE: none
bks_tick log_first_different(const log_entries *a, const log_entries *b);

enum { LOG_CELL_LINES_MAX = 64, LOG_CELL_LINE_BYTES = 161 };

/// Lines of one width at most.
typedef struct log_cell {
    uint32_t width;
    uint32_t count;
    char lines[LOG_CELL_LINES_MAX][LOG_CELL_LINE_BYTES];
} log_cell;

/// Write a group down. What needs too many lines is cut, with "..." at its end.
/// @param width  of a line, 20 to 160
void log_cell_fill(log_cell *cell, const log_entries *log, uint32_t group, uint32_t width);

#endif
