// SPDX-License-Identifier: MIT

/// @file diff_command.h First command that differs between two recordings, shown as bytes.

#ifndef BKS_TOOL_DIFF_COMMAND_H
#define BKS_TOOL_DIFF_COMMAND_H

#include "backstitch/toolkit/recording.h"

enum { DIFF_COMMAND_TEXT_BYTES = 128 };

/// First command that differs among the commands of a player at a tick.
typedef struct diff_command {
    uint32_t number; ///< number of the command among those of the player and tick, from 0
    uint32_t byte;   ///< offset of the first byte that differs, or size of the shorter command
    /// Command in A and in B: some bytes around the difference in hexadecimal digits, with the byte
    /// that differs in brackets and ".." for bytes left out, and the size; "none" for no command.
    char text[2][DIFF_COMMAND_TEXT_BYTES];
} diff_command;

/// Find the first command that differs.
/// @param replays  A and B
/// @param at       a difference whose field is the number of fields, which stands for commands
/// @return false if the commands cannot be read
bool diff_command_find(bks_replay *const replays[2], const bks_input_difference *at,
                       diff_command *out);

#endif
