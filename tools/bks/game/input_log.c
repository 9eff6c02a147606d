// SPDX-License-Identifier: MIT

#include "game/input_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "backstitch/toolkit/runner.h"
#include "base/text.h"
#include "game/input_log_parse.h"

#define BUFFER_BYTES_AT_FIRST (1u << 20)

/// Find the column that feeds a field. A column with the field's own name is preferred to a column
/// with another name that means the same field.
/// @return index of the column, -1: none
static int32_t column_for(const input_log *table, const char *field)
{
    int32_t found = -1;
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].name, field) == 0) {
            return (int32_t)i;
        }
        if (input_log_names_match(table->columns[i].name, field)) {
            found = (int32_t)i;
        }
    }
    return found;
}

/// Return the number i of a field named b<i>, -1 for any other name.
static int32_t button_of(const char *field)
{
    int32_t bit = 0;
    char name[16];
    for (; bit < (int32_t)INPUT_LOG_VALUE_BITS; bit++) {
        (void)snprintf(name, sizeof(name), "b%" PRId32, bit);
        if (strcmp(name, field) == 0) {
            return bit;
        }
    }
    return -1;
}

static bks_status check_ends(const input_log_column *column, const bks_field *field,
                             bks_error *error)
{
    int32_t least = 0;
    int32_t greatest = 0;
    // bks_field_range() cannot fail, because bks_fields_check() passed.
    (void)bks_field_range(field, &least, &greatest);
    if (column->least >= least && column->greatest <= greatest) {
        return BKS_OK;
    }
    const bool is_low = column->least < least;
    return fail_with(error, BKS_ERR_DAMAGED,
                     "line %" PRIu32 ": %s is %" PRId32 ", must be %" PRId32 "..%" PRId32,
                     is_low ? column->least_line : column->greatest_line, column->name,
                     is_low ? column->least : column->greatest, least, greatest);
}

/// Fail if a button that the file holds has no field, because its presses would be lost silently.
/// @param buttons  index of the column `buttons`
static bks_status check_buttons(const input_log *table, const bks_field *fields, int32_t buttons,
                                bks_error *error)
{
    const input_log_column *column = &table->columns[buttons];
    if (column->least < 0) {
        return fail_with(error, BKS_ERR_DAMAGED,
                         "line %" PRIu32 ": %s is %" PRId32 ", must be 0 or more",
                         column->least_line, column->name, column->least);
    }
    for (uint32_t bit = 0; bit < INPUT_LOG_VALUE_BITS; bit++) {
        bool has_field = column->bit_line[bit] == 0;
        for (uint32_t i = 0; i < table->field_count && !has_field; i++) {
            int32_t greatest = 0;
            // bks_field_range() cannot fail, because the fields passed bks_fields_check().
            (void)bks_field_range(&fields[i], NULL, &greatest);
            has_field = table->feeds[i].column == buttons && table->feeds[i].bit == (int32_t)bit &&
                        greatest >= 1;
        }
        if (!has_field) {
            return fail_with(error, BKS_ERR_DAMAGED,
                             "line %" PRIu32 ": %s has bit %" PRIu32
                             " set, and the game has no field b%" PRIu32 " for it",
                             column->bit_line[bit], column->name, bit, bit);
        }
    }
    return BKS_OK;
}

/// Add a name to a list, or "..." once the list is full.
static void list_name(char *list, size_t capacity, const char *name)
{
    const size_t at = strlen(list);
    if (at + strlen(name) + 8 <= capacity) {
        (void)snprintf(list + at, capacity - at, "%s%s", at > 0 ? ", " : "", name);
    } else if (at < 4 || strcmp(list + at - 3, "...") != 0) {
        (void)snprintf(list + at, capacity - at, ", ...");
    }
}

static bks_status fail_no_field(const input_log *table, const bks_field *fields, uint32_t count,
                                bks_error *error)
{
    char columns[68] = "";
    char names[68] = "";
    for (uint32_t i = 0; i < table->column_count; i++) {
        list_name(columns, sizeof(columns), table->columns[i].name);
    }
    for (uint32_t i = 0; i < count; i++) {
        list_name(names, sizeof(names), fields[i].name);
    }
    return fail_with(error, BKS_ERR_UNSUPPORTED,
                     "no column is a field of the game: columns %s; fields %s", columns, names);
}

bks_status input_log_bind(input_log *table, const bks_field *fields, uint32_t count,
                          bks_error *error)
{
    bks_status status = bks_fields_check(fields, count, error);
    if (status != BKS_OK) {
        return status;
    }
    const int32_t buttons = column_for(table, "buttons");
    bool has_buttons = false;
    bool has_any = false;
    table->field_count = count;
    for (uint32_t i = 0; i < count && status == BKS_OK; i++) {
        input_log_feed *feed = &table->feeds[i];
        *feed = (input_log_feed){.column = column_for(table, fields[i].name), .bit = -1};
        if (feed->column >= 0) {
            status = check_ends(&table->columns[feed->column], &fields[i], error);
        } else if (buttons >= 0 && button_of(fields[i].name) >= 0) {
            *feed = (input_log_feed){.column = buttons, .bit = button_of(fields[i].name)};
            has_buttons = true;
        }
        has_any = has_any || feed->column >= 0;
    }
    if (status == BKS_OK && !has_any) {
        status = fail_no_field(table, fields, count, error);
    }
    if (status == BKS_OK && has_buttons) {
        status = check_buttons(table, fields, buttons, error);
    }
    if (status != BKS_OK) {
        table->field_count = 0;
    }
    return status;
}

const char *input_log_game(const input_log *table)
{
    return table->game;
}

uint32_t input_log_tick_rate_hz(const input_log *table)
{
    return table->tick_rate_hz;
}

uint32_t input_log_players(const input_log *table)
{
    return table->rows[table->row_count - 1].player + 1;
}

bks_tick input_log_ticks(const input_log *table, uint32_t player)
{
    if (player >= BKS_PLAYERS_MAX) {
        return 0;
    }
    const input_log_row *rows = table->rows + table->player_rows[player];
    // Find the number of rows, from the first on, whose tick equals their index. Ticks rise, so a
    // binary search finds it.
    uint32_t gapless = 0;
    uint32_t end = table->player_rows[player + 1] - table->player_rows[player];
    while (gapless < end) {
        const uint32_t middle = gapless + (end - gapless) / 2;
        if (rows[middle].tick == (bks_tick)middle) {
            gapless = middle + 1;
        } else {
            end = middle;
        }
    }
    return (bks_tick)gapless;
}

bks_status input_log_check(const input_log *table, uint32_t player, bks_tick ticks,
                           bks_error *error)
{
    const bool is_seat = player < BKS_PLAYERS_MAX;
    if (!is_seat || table->player_rows[player] == table->player_rows[player + 1]) {
        char players[72] = "";
        for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
            if (table->player_rows[i] != table->player_rows[i + 1]) {
                char number[8];
                (void)snprintf(number, sizeof(number), "%" PRIu32, i);
                list_name(players, sizeof(players), number);
            }
        }
        return fail_with(error, BKS_ERR_INCOMPLETE,
                         "player %" PRIu32 " is not in the file, which has players %s", player,
                         players);
    }
    const bks_tick there = input_log_ticks(table, player);
    if (there >= ticks) {
        return BKS_OK;
    }
    const input_log_row *first = table->rows + table->player_rows[player];
    const input_log_row *last = table->rows + table->player_rows[player + 1] - 1;
    return fail_with(error, BKS_ERR_INCOMPLETE,
                     "tick %" PRId32 " of player %" PRIu32 " is not in the file, which has ticks "
                     "%" PRId32 " to %" PRId32 "%s; ticks 0 to %" PRId32 " are needed",
                     there, player, first->tick, last->tick,
                     there > first->tick && there < last->tick ? " with gaps" : "", ticks - 1);
}

static const input_log_row *find_row(const input_log *table, uint32_t player, bks_tick tick)
{
    if (player >= BKS_PLAYERS_MAX || tick < 0) {
        return NULL;
    }
    const input_log_row *rows = table->rows + table->player_rows[player];
    uint32_t end = table->player_rows[player + 1] - table->player_rows[player];
    if ((uint32_t)tick < end && rows[tick].tick == tick) {
        return &rows[tick]; // the usual case: no tick up to this one is missing
    }
    uint32_t begin = 0;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (rows[middle].tick < tick) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    const bool is_there = begin < table->player_rows[player + 1] - table->player_rows[player];
    return is_there && rows[begin].tick == tick ? &rows[begin] : NULL;
}

bool input_log_sample(const input_log *table, uint32_t player, bks_tick tick, int32_t *values)
{
    const input_log_row *row = find_row(table, player, tick);
    if (row == NULL) {
        return false;
    }
    const int32_t *cells = table->cells + (size_t)row->at * table->column_count;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const input_log_feed feed = table->feeds[i];
        if (feed.column >= 0) {
            const int32_t value = cells[feed.column];
            values[i] = feed.bit >= 0 ? value >> feed.bit & 1 : value;
        }
    }
    return true;
}

static bks_status fail_read(gzFile file, bks_error *error)
{
    int code = Z_OK;
    const char *text = gzerror(file, &code);
    if (code == Z_ERRNO) {
        return fail_with(error, BKS_ERR_IO, "cannot be read: %s", strerror(errno));
    }
    if (code == Z_MEM_ERROR) {
        return fail_with(error, BKS_ERR_OUT_OF_MEMORY, "no memory to unpack it");
    }
    return fail_with(error, code == Z_BUF_ERROR ? BKS_ERR_INCOMPLETE : BKS_ERR_DAMAGED,
                     "gzip data is %s: %.80s", code == Z_BUF_ERROR ? "cut" : "damaged", text);
}

/// Read all bytes of a file, unpacked.
/// @param out  receives the bytes, also on failure; the caller frees them
static bks_status read_all(gzFile file, char **out, size_t *out_count, bks_error *error)
{
    size_t capacity = 0;
    *out = NULL;
    *out_count = 0;
    for (;;) {
        if (*out_count == capacity) {
            capacity = capacity > 0 ? capacity * 2 : BUFFER_BYTES_AT_FIRST;
            char *grown =
                capacity <= 2 * (size_t)INPUT_LOG_BYTES_MAX ? realloc(*out, capacity) : NULL;
            if (grown == NULL) {
                return fail_with(error, BKS_ERR_OUT_OF_MEMORY, "no memory for %zu bytes", capacity);
            }
            *out = grown;
        }
        const size_t room = capacity - *out_count;
        const int count =
            gzread(file, *out + *out_count,
                   room < BUFFER_BYTES_AT_FIRST ? (unsigned)room : BUFFER_BYTES_AT_FIRST);
        if (count < 0) {
            return fail_read(file, error);
        }
        if (count == 0) {
            return BKS_OK;
        }
        *out_count += (size_t)count;
        if (*out_count > INPUT_LOG_BYTES_MAX) {
            return fail_with(error, BKS_ERR_UNSUPPORTED,
                             "unpacks to more than %u bytes, the most that is read",
                             INPUT_LOG_BYTES_MAX);
        }
    }
}

bks_status input_log_read(const char *path, char **out, size_t *out_count, bks_error *error)
{
    *out = NULL;
    errno = 0;
    gzFile file = gzopen(path, "rb"); // gzread() also reads a file that is not compressed
    if (file == NULL) {
        return fail_with(error, BKS_ERR_IO, "cannot be opened: %s",
                         errno != 0 ? strerror(errno) : "no memory");
    }
    bks_status status = read_all(file, out, out_count, error);
    // Ask gzerror() after the last read too: gzread() may report no error for a stream that is cut.
    int code = Z_OK;
    (void)gzerror(file, &code);
    if (status == BKS_OK && code != Z_OK) {
        status = fail_read(file, error);
    }
    (void)gzclose(file);
    if (status != BKS_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

bks_status input_log_load(const char *path, input_log **out, bks_error *error)
{
    char *text = NULL;
    size_t count = 0;
    *out = NULL;
    bks_status status = input_log_read(path, &text, &count, error);
    if (status == BKS_OK) {
        status = input_log_parse(text, count, out, error);
    }
    free(text);
    return status;
}
