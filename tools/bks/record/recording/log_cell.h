// SPDX-License-Identifier: MIT

/// @file log_cell.h
/// What a peer did at one tick, as a few short lines.

#ifndef BKS_TOOL_LOG_CELL_H
#define BKS_TOOL_LOG_CELL_H

#include "record/recording/log_entries.h"

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
