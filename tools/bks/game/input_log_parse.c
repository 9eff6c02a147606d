// SPDX-License-Identifier: MIT

#include "game/input_log_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define ROWS_MAX      (1u << 26) // limit of rows: 16 players for 19 hours at 60 Hz
#define ROWS_AT_FIRST 4096u

/// Text of an input log while it is read.
typedef struct reader {
    const char *text;
    size_t count;
    size_t at;     ///< offset in the text of the next line
    uint32_t line; ///< number of the current line, counted from 1
} reader;

/// A piece of an input log's text.
typedef struct piece {
    const char *text;
    size_t count;
} piece;

/// Copy at most 24 bytes of a piece for an error text, with '?' for bytes that are not printable.
static const char *shown(piece from, char out[25])
{
    size_t count = 0;
    for (; count < from.count && count < 24; count++) {
        const char c = from.text[count];
        out[count] = c;
        if (c < 0x20 || c > 0x7E) {
            out[count] = '?';
        }
    }
    out[count] = '\0';
    return out;
}

static bool same(piece a, const char *name)
{
    return strlen(name) == a.count && memcmp(a.text, name, a.count) == 0;
}

/// Get the next line that is neither empty nor a header line, without its line end.
/// @return false: there is none
static bool next_line(reader *from, piece *line)
{
    while (from->at < from->count) {
        const char *start = from->text + from->at;
        const char *end = memchr(start, '\n', from->count - from->at);
        size_t count = end != NULL ? (size_t)(end - start) : from->count - from->at;
        from->at += count + (end != NULL ? 1 : 0);
        from->line++;
        if (count > 0 && start[count - 1] == '\r') {
            count--;
        }
        if (count > 0 && start[0] != '#') {
            *line = (piece){start, count};
            return true;
        }
    }
    return false;
}

/// Read the game's name or the tick rate from a header line. Other lines are ignored.
static void read_fact(input_log *table, piece line)
{
    static const char game[] = "# game: ";
    static const char rate[] = "# tick_rate_hz: ";
    char text[INPUT_LOG_NAME_BYTES * 4] = "";
    memcpy(text, line.text, line.count < sizeof(text) - 1 ? line.count : sizeof(text) - 1);
    if (strncmp(text, game, strlen(game)) == 0) {
        size_t length = 0;
        for (const char *at = text + strlen(game);
             *at >= 0x20 && *at <= 0x7E && length < sizeof(table->game) - 1; at++) {
            table->game[length++] = *at;
        }
        table->game[length] = '\0';
    } else if (strncmp(text, rate, strlen(rate)) == 0) {
        const unsigned long hz = strtoul(text + strlen(rate), NULL, 10);
        table->tick_rate_hz = hz <= 1000 ? (uint32_t)hz : 0;
    }
}

/// Read the header lines at the top of an input log.
static void read_facts(input_log *table, const reader *from)
{
    size_t at = from->at;
    while (at < from->count && from->text[at] == '#') {
        const char *end = memchr(from->text + at, '\n', from->count - at);
        const size_t next = end != NULL ? (size_t)(end - from->text) + 1 : from->count;
        read_fact(table, (piece){from->text + at, next - at});
        at = next;
    }
}

/// Get the next cell of a line, up to a comma, and cut it off the line.
/// @return false: there are no more cells
static bool next_cell(piece *line, piece *cell)
{
    if (line->text == NULL) {
        return false;
    }
    const char *comma = line->count > 0 ? memchr(line->text, ',', line->count) : NULL;
    if (comma == NULL) {
        *cell = *line;
        *line = (piece){NULL, 0};
        return true;
    }
    *cell = (piece){line->text, (size_t)(comma - line->text)};
    *line = (piece){comma + 1, line->count - cell->count - 1};
    return true;
}

static size_t offset_of(const reader *from, piece at)
{
    return (size_t)(at.text - from->text);
}

static bool read_number(piece cell, int32_t *value)
{
    const bool is_negative = cell.count > 0 && cell.text[0] == '-';
    size_t at = is_negative ? 1 : 0;
    if (at == cell.count || cell.count > 11) {
        return false;
    }
    int64_t number = 0;
    for (; at < cell.count; at++) {
        if (cell.text[at] < '0' || cell.text[at] > '9') {
            return false;
        }
        number = number * 10 + (cell.text[at] - '0');
    }
    number = is_negative ? -number : number;
    *value = (int32_t)number;
    return number >= INT32_MIN && number <= INT32_MAX;
}

/// Return the other name of a column, such as "frame" for "tick"; NULL: it has no other name.
static const char *other_name(const char *name)
{
    static const char *const pairs[][2] = {
        {"tick", "frame"}, {"ax1", "stick_x"}, {"ax2", "stick_y"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        for (size_t k = 0; k < 2; k++) {
            if (strcmp(name, pairs[i][k]) == 0) {
                return pairs[i][1 - k];
            }
        }
    }
    return NULL;
}

bool input_log_names_match(const char *a, const char *b)
{
    const char *other = other_name(a);
    return strcmp(a, b) == 0 || (other != NULL && strcmp(other, b) == 0);
}

static bool is_name(piece cell)
{
    if (cell.count == 0 || cell.count >= INPUT_LOG_NAME_BYTES) {
        return false;
    }
    for (size_t i = 0; i < cell.count; i++) {
        const char c = cell.text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '.' || c == '-')) {
            return false;
        }
    }
    return true;
}

static bks_status fail_cell(const reader *from, piece cell, bks_error *error, const char *column,
                            const char *wanted)
{
    char text[25];
    return fail_at(error, BKS_ERR_DAMAGED, offset_of(from, cell),
                   "line %" PRIu32 ": %s is \"%s\", must be %s", from->line, column,
                   shown(cell, text), wanted);
}

/// Add a column to the table, by its name in the line that names the columns.
static bks_status add_column(input_log *table, const reader *from, piece cell, bks_error *error)
{
    if (same(cell, "hexpayload") || same(cell, "nbytes")) {
        return fail_at(error, BKS_ERR_UNSUPPORTED, offset_of(from, cell),
                       "line %" PRIu32 ": this is a stream of commands (nbytes, hexpayload), "
                       "expected a table of inputs with one value in each column",
                       from->line);
    }
    if (!is_name(cell)) {
        return fail_cell(from, cell, error, "a column's name", "1..31 letters, digits, _ . or -");
    }
    if (table->text_columns == INPUT_LOG_COLUMNS_MAX) {
        return fail_at(error, BKS_ERR_DAMAGED, offset_of(from, cell),
                       "line %" PRIu32 ": more than %d columns", from->line, INPUT_LOG_COLUMNS_MAX);
    }
    char name[INPUT_LOG_NAME_BYTES] = {0};
    memcpy(name, cell.text, cell.count);
    int32_t meaning = (int32_t)table->column_count;
    if (input_log_names_match(name, "tick")) {
        meaning = INPUT_LOG_TICK;
    } else if (strcmp(name, "player") == 0) {
        meaning = INPUT_LOG_PLAYER;
    }
    bool is_twice = false;
    for (uint32_t i = 0; i < table->text_columns; i++) {
        is_twice = is_twice || (meaning < 0 && table->meaning[i] == meaning);
    }
    for (uint32_t i = 0; i < table->column_count; i++) {
        is_twice = is_twice || input_log_names_match(name, table->columns[i].name);
    }
    if (is_twice) {
        return fail_cell(from, cell, error, "a column's name", "another one: it is there twice");
    }
    table->meaning[table->text_columns++] = meaning;
    if (meaning >= 0) {
        input_log_column *column = &table->columns[table->column_count++];
        *column = (input_log_column){.least = INT32_MAX, .greatest = INT32_MIN};
        memcpy(column->name, name, sizeof(name));
    }
    return BKS_OK;
}

static bks_status read_columns(input_log *table, reader *from, bks_error *error)
{
    piece line;
    if (!next_line(from, &line)) {
        return fail_at(error, BKS_ERR_INCOMPLETE, from->count,
                       "no line names the columns, expected such as "
                       "\"tick,player,buttons,ax1,ax2\"");
    }
    const size_t line_offset = offset_of(from, line);
    bool has_tick = false;
    for (piece cell; next_cell(&line, &cell);) {
        const bks_status status = add_column(table, from, cell, error);
        if (status != BKS_OK) {
            return status;
        }
        has_tick = has_tick || table->meaning[table->text_columns - 1] == INPUT_LOG_TICK;
    }
    if (!has_tick || table->column_count == 0) {
        return fail_at(error, BKS_ERR_DAMAGED, line_offset,
                       "line %" PRIu32 ": the columns are %s, must be tick (or frame), player "
                       "and a value",
                       from->line, has_tick ? "without a value" : "without tick");
    }
    return BKS_OK;
}

/// Make room for one more row in the table.
static bks_status grow(input_log *table, const reader *from, bks_error *error)
{
    if (table->row_count < table->row_capacity) {
        return BKS_OK;
    }
    if (table->row_count == ROWS_MAX) {
        return fail_at(error, BKS_ERR_UNSUPPORTED, from->at, "more than %u rows", ROWS_MAX);
    }
    const uint32_t capacity = table->row_capacity > 0 ? table->row_capacity * 2 : ROWS_AT_FIRST;
    input_log_row *rows = realloc(table->rows, capacity * sizeof(*rows));
    if (rows != NULL) {
        table->rows = rows;
    }
    int32_t *cells = realloc(table->cells, (size_t)capacity * table->column_count * sizeof(*cells));
    if (cells != NULL) {
        table->cells = cells;
    }
    if (rows == NULL || cells == NULL) {
        return fail_with(error, BKS_ERR_OUT_OF_MEMORY, "no memory for %u rows", capacity);
    }
    table->row_capacity = capacity;
    return BKS_OK;
}

static void note_ends(input_log_column *column, int32_t value, uint32_t line)
{
    if (value < column->least) {
        column->least = value;
        column->least_line = line;
    }
    if (value > column->greatest) {
        column->greatest = value;
        column->greatest_line = line;
    }
    for (uint32_t bit = 0; value >> bit > 0 && bit < INPUT_LOG_VALUE_BITS; bit++) {
        if ((value >> bit & 1) != 0 && column->bit_line[bit] == 0) {
            column->bit_line[bit] = line;
        }
    }
}

/// Store one cell of a line in its row.
/// @param meaning  INPUT_LOG_TICK, INPUT_LOG_PLAYER or the index of a value column
static bks_status add_cell(input_log *table, const reader *from, input_log_row *row,
                           int32_t meaning, piece cell, bks_error *error)
{
    int32_t value = 0;
    const bool is_number = read_number(cell, &value);
    if (meaning == INPUT_LOG_TICK) {
        row->tick = value;
        return is_number && value >= 0 && value < INT32_MAX
                   ? BKS_OK
                   : fail_cell(from, cell, error, "tick", "a whole number from 0 to 2147483646");
    }
    if (meaning == INPUT_LOG_PLAYER) {
        row->player = (uint32_t)value;
        return is_number && value >= 0 && value < BKS_PLAYERS_MAX
                   ? BKS_OK
                   : fail_cell(from, cell, error, "player", "a whole number from 0 to 15");
    }
    input_log_column *column = &table->columns[meaning];
    if (!is_number) {
        return fail_cell(from, cell, error, column->name, "a whole number of 32 bits");
    }
    note_ends(column, value, row->line);
    table->cells[(size_t)row->at * table->column_count + (uint32_t)meaning] = value;
    return BKS_OK;
}

static bks_status add_row(input_log *table, const reader *from, piece line, bks_error *error)
{
    input_log_row row = {.line = from->line, .at = table->row_count};
    const size_t line_offset = offset_of(from, line);
    uint32_t count = 0;
    for (piece cell; next_cell(&line, &cell); count++) {
        if (count == table->text_columns) {
            count++;
            break;
        }
        const bks_status status = add_cell(table, from, &row, table->meaning[count], cell, error);
        if (status != BKS_OK) {
            return status;
        }
    }
    if (count != table->text_columns) {
        const bool is_cut = count < table->text_columns && from->at == from->count &&
                            from->text[from->count - 1] != '\n';
        return fail_at(error, is_cut ? BKS_ERR_INCOMPLETE : BKS_ERR_DAMAGED, line_offset,
                       "line %" PRIu32 " has %s%" PRIu32 " values, must have %" PRIu32, from->line,
                       count > table->text_columns ? "at least " : "", count, table->text_columns);
    }
    table->rows[table->row_count++] = row;
    return BKS_OK;
}

static int by_player_and_tick(const void *left, const void *right)
{
    const input_log_row *a = left;
    const input_log_row *b = right;
    if (a->player != b->player) {
        return a->player < b->player ? -1 : 1;
    }
    if (a->tick != b->tick) {
        return a->tick < b->tick ? -1 : 1;
    }
    return a->line < b->line ? -1 : 1; // an error about two equal rows must name the later line
}

/// Sort the rows by player and tick, and note where each player's rows begin.
static bks_status arrange(input_log *table, bks_error *error)
{
    if (table->row_count == 0) {
        return fail_with(
            error, BKS_ERR_INCOMPLETE,
            "the file has columns and no inputs, expected at least one line of values");
    }
    qsort(table->rows, table->row_count, sizeof(*table->rows), by_player_and_tick);
    for (uint32_t i = 0; i < table->row_count; i++) {
        const input_log_row *row = &table->rows[i];
        table->player_rows[row->player + 1] = i + 1;
        if (i > 0 && row->player == row[-1].player && row->tick == row[-1].tick) {
            return fail_with(error, BKS_ERR_DAMAGED,
                             "line %" PRIu32 ": tick %" PRId32 " of player %" PRIu32
                             " is there twice, first in line %" PRIu32,
                             row->line, row->tick, row->player, row[-1].line);
        }
    }
    for (uint32_t player = 0; player < BKS_PLAYERS_MAX; player++) {
        if (table->player_rows[player + 1] == 0) { // a player without rows has an empty range
            table->player_rows[player + 1] = table->player_rows[player];
        }
    }
    return BKS_OK;
}

static bks_status read_table(input_log *table, reader *from, bks_error *error)
{
    bks_status status = read_columns(table, from, error);
    piece line;
    while (status == BKS_OK && next_line(from, &line)) {
        status = grow(table, from, error);
        if (status == BKS_OK) {
            status = add_row(table, from, line, error);
        }
    }
    return status == BKS_OK ? arrange(table, error) : status;
}

bks_status input_log_parse(const void *bytes, size_t count, input_log **out, bks_error *error)
{
    *out = NULL;
    if (count > INPUT_LOG_BYTES_MAX) {
        return fail_with(error, BKS_ERR_UNSUPPORTED, "%zu bytes of text, must be 0..%u", count,
                         INPUT_LOG_BYTES_MAX);
    }
    input_log *table = calloc(1, sizeof(*table));
    if (table == NULL) {
        return fail_with(error, BKS_ERR_OUT_OF_MEMORY, "no memory for a table");
    }
    reader from = {.text = count > 0 ? bytes : "", .count = count};
    if (count >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        from.at = 3; // skip the byte order mark that some programs write before UTF-8 text
    }
    read_facts(table, &from);
    const bks_status status = read_table(table, &from, error);
    if (status != BKS_OK) {
        input_log_free(table);
        return status;
    }
    *out = table;
    return BKS_OK;
}

void input_log_free(input_log *table)
{
    if (table != NULL) {
        free(table->rows);
        free(table->cells);
        free(table);
    }
}
