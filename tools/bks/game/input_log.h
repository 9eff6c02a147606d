// SPDX-License-Identifier: MIT

/// @file input_log.h
/// Tables of inputs from real play, as text. Lines that begin with # are the header. The first
/// other line names the columns. Each later line is the input of one player at one tick: whole
/// numbers with commas between them.
///
///     # game: …
///     tick,player,buttons,ax1,ax2
///     0,0,128,-14,80
///
/// The column `frame` means `tick`, `stick_x` means `ax1` and `stick_y` means `ax2`. A file without
/// the column `player` is of player 0. A column feeds the field of its name; bit i of `buttons`
/// feeds the field `b<i>`. Files are not trusted: the parser refuses wrong ones and names the line.
///
///     input_log *table = NULL;
///     if (input_log_load(path, &table, &error) == BKS_OK &&
///         input_log_bind(table, game->fields, game->field_count, &error) == BKS_OK &&
///         input_log_check(table, player, ticks, &error) == BKS_OK) {
///         input_log_sample(table, player, tick, values);
///
/// Thread rule: after input_log_bind() any number of threads may read.

#ifndef BKS_TOOL_INPUT_LOG_H
#define BKS_TOOL_INPUT_LOG_H

#include "game/input_log_parse.h"

/// Read the text of a file, plain or gzip (recognised by its first bytes).
/// @param out    receives the text, NULL on failure; the caller frees it
/// @param error  offsets in it count unpacked bytes
/// @return BKS_OK, BKS_ERR_IO, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE,
///         BKS_ERR_UNSUPPORTED (too much text)
BKS_NODISCARD bks_status input_log_read(const char *path, char **out, size_t *out_count,
                                        bks_error *error);

/// Read a table from a file, plain or gzip (recognised by its first bytes).
/// @param error  offsets in it count unpacked bytes
/// @return a status of input_log_parse(), or BKS_ERR_IO
BKS_NODISCARD bks_status input_log_load(const char *path, input_log **out, bks_error *error);

/// Decide which column feeds which field, and check that every value in the file fits its field.
/// @param fields  a table that passes bks_fields_check()
/// @return BKS_OK, BKS_ERR_UNSUPPORTED (no column fits any field: the error lists both),
///         BKS_ERR_DAMAGED (a value is out of its field's range: the error has its line)
BKS_NODISCARD bks_status input_log_bind(input_log *table, const bks_field *fields, uint32_t count,
                                        bks_error *error);

/// Check that the file has a player's inputs for ticks 0 to `ticks` - 1.
/// @param ticks  0: check only that the file has the player
/// @return BKS_OK, BKS_ERR_INCOMPLETE (the error says which players or ticks the file has)
BKS_NODISCARD bks_status input_log_check(const input_log *table, uint32_t player, bks_tick ticks,
                                         bks_error *error);

/// Get the input of a player at a tick.
/// @param values  receives a value for each field of input_log_bind(); fields that no column feeds
///                keep their value
/// @return true if the file has the input; otherwise `values` is unchanged
bool input_log_sample(const input_log *table, uint32_t player, bks_tick tick, int32_t *values);

/// Return the name of the game from the header line `# game: …`; "" without this line.
const char *input_log_game(const input_log *table);

/// Return the tick rate in Hz from the header line `# tick_rate_hz: …`; 0 without this line.
uint32_t input_log_tick_rate_hz(const input_log *table);

/// Return one past the highest player in the file, at most BKS_PLAYERS_MAX.
uint32_t input_log_players(const input_log *table);

/// Return the number of ticks that the file has of a player, from tick 0 up to the first gap.
bks_tick input_log_ticks(const input_log *table, uint32_t player);

#endif
