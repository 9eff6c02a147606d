// SPDX-License-Identifier: MIT

/// @file input_log.h
/// Tables of inputs that people really played, as text: lines with # are header, the first other
/// line names the columns, each line after it is one player's input of one tick, whole numbers with
/// commas between them.
///
///     # game: …
///     tick,player,buttons,ax1,ax2
///     0,0,128,-14,80
///
/// `frame` is `tick`, `stick_x` and `stick_y` are `ax1` and `ax2`. A file without `player` is
/// player 0's. A column feeds the field of its name; bit i of `buttons` feeds the field `b<i>`. The
/// bytes are never trusted: what is wrong is refused with its line.
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

/// Read a table from a file, plain or gzip (recognised by its first bytes).
/// @return as input_log_parse(), and BKS_ERR_IO. Offsets count unpacked bytes.
BKS_NODISCARD bks_status input_log_load(const char *path, input_log **out, bks_error *error);

/// Decide which column feeds which field, and check that every value in the file fits its field.
/// @param fields  a table that passes bks_fields_check()
/// @return BKS_OK, BKS_ERR_UNSUPPORTED (no column fits any field: the error has the names of both),
///         BKS_ERR_DAMAGED (a value is out of its field's range: the error has its line)
BKS_NODISCARD bks_status input_log_bind(input_log *table, const bks_field *fields, uint32_t count,
                                        bks_error *error);

/// Check that the file has a player's inputs for ticks 0 to `ticks` - 1.
/// @param ticks  0 asks for the player alone
/// @return BKS_OK, BKS_ERR_INCOMPLETE (the error says what there is)
BKS_NODISCARD bks_status input_log_check(const input_log *table, uint32_t player, bks_tick ticks,
                                         bks_error *error);

/// One input.
/// @param values  as long as the field table of input_log_bind(); fields that no column feeds are
/// left as
///                they are
/// @return whether the file has it; if not, values is untouched
bool input_log_sample(const input_log *table, uint32_t player, bks_tick tick, int32_t *values);

/// The game that was played, by the header line `# game: …`; "" when there is none.
const char *input_log_game(const input_log *table);

/// Ticks a second, by the header line `# tick_rate_hz: …`; 0 when there is none.
uint32_t input_log_tick_rate_hz(const input_log *table);

/// One past the highest player in the file, at most BKS_PLAYERS_MAX.
uint32_t input_log_players(const input_log *table);

/// How many ticks from 0 on the file has of a player, up to the first gap.
bks_tick input_log_ticks(const input_log *table, uint32_t player);

#endif
