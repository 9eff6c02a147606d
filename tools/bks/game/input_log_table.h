// SPDX-License-Identifier: MIT

/// @file input_log_table.h
/// How a table of inputs lies in memory: input_log_parse.c makes it, input_log.c looks things up.

#ifndef BKS_TOOL_INPUT_LOG_TABLE_H
#define BKS_TOOL_INPUT_LOG_TABLE_H

#include "backstitch/game.h"

#define INPUT_LOG_COLUMNS_MAX (BKS_FIELDS_MAX + 2)
#define INPUT_LOG_NAME_BYTES  32u
#define INPUT_LOG_VALUE_BITS  31u // that can be set in a value of 0 and more

/// What a column of the text is.
enum { INPUT_LOG_TICK = -1, INPUT_LOG_PLAYER = -2 };

/// A column of values: its name and the ends of what it holds, with the lines they stand in.
typedef struct input_log_column {
    char name[INPUT_LOG_NAME_BYTES];
    int32_t least;
    int32_t greatest;
    uint32_t least_line;
    uint32_t greatest_line;
    uint32_t bit_line[INPUT_LOG_VALUE_BITS]; ///< first line that sets the bit, 0: none does
} input_log_column;

typedef struct input_log_row {
    bks_tick tick;
    uint32_t player;
    uint32_t line;
    uint32_t at; ///< its values begin at cells[at * column_count]
} input_log_row;

/// Where a field's values come from.
typedef struct input_log_feed {
    int32_t column; ///< -1: from nowhere
    int32_t bit;    ///< -1: the whole value
} input_log_feed;

struct input_log {
    char game[INPUT_LOG_NAME_BYTES * 2];    ///< by the header, "" when it does not say
    uint32_t tick_rate_hz;                  ///< by the header, 0 when it does not say
    uint32_t text_columns;                  ///< in a line of text
    int32_t meaning[INPUT_LOG_COLUMNS_MAX]; ///< by column of the text: TRACE_…, or a value column
    uint32_t column_count;                  ///< of values
    input_log_column columns[INPUT_LOG_COLUMNS_MAX];
    uint32_t row_count;
    uint32_t row_capacity;
    input_log_row *rows;                       ///< by player and tick
    int32_t *cells;                            ///< row_count * column_count
    uint32_t player_rows[BKS_PLAYERS_MAX + 1]; ///< where each player's rows begin, and the end
    uint32_t field_count;
    input_log_feed feeds[BKS_FIELDS_MAX];
};

/// Whether two names mean the same column: equal, or one the older name of the other.
bool input_log_names_match(const char *a, const char *b);

#endif
