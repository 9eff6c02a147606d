// SPDX-License-Identifier: MIT

/// @file replay_values.h
/// What named ranges of the state held, by tick, as text that other programs read.

#ifndef BKS_TOOL_REPLAY_VALUES_H
#define BKS_TOOL_REPLAY_VALUES_H

#include "base/json.h"
#include "record/recording/replay_file.h"

/// Print "# value: TICK NAME NUMBER..." for each recorded range of each tick; bytes without a type
/// as hexadecimal digits.
void replay_values_print(const replay_file *file, bks_tick from, bks_tick until);

/// Write them as an object for each tick into the object that is open: whole numbers as such,
/// others (which JSON has no words for when they are infinite) and bytes as text.
void replay_values_json(json *j, const replay_file *file, bks_tick from, bks_tick until);

#endif
