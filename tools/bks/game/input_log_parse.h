// SPDX-License-Identifier: MIT

/// @file input_log_parse.h
/// Parser that makes a table from the text of an input log.

#ifndef BKS_TOOL_INPUT_LOG_PARSE_H
#define BKS_TOOL_INPUT_LOG_PARSE_H

#include "backstitch/game.h"

#define INPUT_LOG_COLUMNS_MAX (BKS_FIELDS_MAX + 2)
#define INPUT_LOG_NAME_BYTES  32u
#define INPUT_LOG_VALUE_BITS  31u // number of bits of a value, without its sign bit

/// Meanings of columns that do not feed a field.
enum { INPUT_LOG_TICK = -1, INPUT_LOG_PLAYER = -2 };

/// A column of values: its name, its least and greatest value, and the lines of these values.
typedef struct input_log_column {
    char name[INPUT_LOG_NAME_BYTES];
    int32_t least;
    int32_t greatest;
    uint32_t least_line;
    uint32_t greatest_line;
    uint32_t bit_line[INPUT_LOG_VALUE_BITS]; ///< for each bit: first line that sets it; 0: none
} input_log_column;

typedef struct input_log_row {
    bks_tick tick;
    uint32_t player;
    uint32_t line;
    uint32_t at; ///< index of the row's values, which begin at cells[at * column_count]
} input_log_row;

/// Column, or bit of a column, that feeds a field.
typedef struct input_log_feed {
    int32_t column; ///< index of the column, -1: no column feeds the field
    int32_t bit;    ///< bit of the column's value, -1: the whole value
} input_log_feed;

struct input_log {
    char game[INPUT_LOG_NAME_BYTES * 2]; ///< name of the game in the header, "" without one
    uint32_t tick_rate_hz;               ///< tick rate in Hz in the header, 0 without one
    uint32_t text_columns;               ///< number of columns in a line of text
    /// For each column of a line of text: INPUT_LOG_TICK, INPUT_LOG_PLAYER, or the index in
    /// `columns`.
    int32_t meaning[INPUT_LOG_COLUMNS_MAX];
    uint32_t column_count; ///< number of columns that hold values
    input_log_column columns[INPUT_LOG_COLUMNS_MAX];
    uint32_t row_count;
    uint32_t row_capacity;
    input_log_row *rows; ///< rows of the table, sorted by player and tick
    int32_t *cells;      ///< values of all rows: row_count * column_count of them
    /// Index in `rows` of each player's first row, followed by row_count.
    uint32_t player_rows[BKS_PLAYERS_MAX + 1];
    uint32_t field_count;
    input_log_feed feeds[BKS_FIELDS_MAX];
};

/// Return true if two names mean the same column: they are equal, or a pair such as "tick" and
/// "frame".
bool input_log_names_match(const char *a, const char *b);

/// Limit for the size of an unpacked input log, in bytes.
#define INPUT_LOG_BYTES_MAX (1024u * 1024u * 1024u)

/// An input log as a table in memory. Opaque.
typedef struct input_log input_log;

/// Read a table from text.
/// @param bytes  not NULL when count is above 0
/// @param out    receives the table, NULL on failure
/// @param error  names the line, and the offset into `bytes`; may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (the last line is cut, or lines are
///         missing), BKS_ERR_UNSUPPORTED (a stream of commands, or too much text),
///         BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with input_log_free().
BKS_NODISCARD bks_status input_log_parse(const void *bytes, size_t count, input_log **out,
                                         bks_error *error);

/// Release a table. NULL is allowed.
void input_log_free(input_log *table);

#endif
