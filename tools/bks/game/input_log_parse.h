// SPDX-License-Identifier: MIT

/// @file input_log_parse.h
/// The text of an input log becomes a table.

#ifndef BKS_TOOL_INPUT_LOG_PARSE_H
#define BKS_TOOL_INPUT_LOG_PARSE_H

#include "backstitch/game.h"

#define INPUT_LOG_COLUMNS_MAX (BKS_FIELDS_MAX + 2)
#define INPUT_LOG_NAME_BYTES  32u
#define INPUT_LOG_VALUE_BITS  31u // that can be set in a value of 0 and more

/// Kinds of columns beside those of values.
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
    uint32_t column_count;                  ///< number of value columns
    input_log_column columns[INPUT_LOG_COLUMNS_MAX];
    uint32_t row_count;
    uint32_t row_capacity;
    input_log_row *rows;                       ///< by player and tick
    int32_t *cells;                            ///< row_count * column_count
    uint32_t player_rows[BKS_PLAYERS_MAX + 1]; ///< where each player's rows begin, and the end
    uint32_t field_count;
    input_log_feed feeds[BKS_FIELDS_MAX];
};

/// Return true if two names mean the same column: equal, or one the older name of the other.
bool input_log_names_match(const char *a, const char *b);

/// Most bytes of text, unpacked.
#define INPUT_LOG_BYTES_MAX (1024u * 1024u * 1024u)

/// A table in memory. Opaque.
typedef struct input_log input_log;

/// Read a table from text.
/// @param bytes  not NULL when count is above 0
/// @param out    receives the table, NULL on failure
/// @param error  names the line, and the offset into `bytes`; may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (the last line is cut), BKS_ERR_UNSUPPORTED
/// (a
///         stream of commands, or larger than any match), BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with input_log_free().
BKS_NODISCARD bks_status input_log_parse(const void *bytes, size_t count, input_log **out,
                                         bks_error *error);

/// Release a table. NULL is allowed.
void input_log_free(input_log *table);

#endif
