// SPDX-License-Identifier: MIT

/// @file oracle_commands.h
/// Commands that the oracle draws for the seats of a game with commands. The commands of a seat are
/// a sequence that depends on seed and seat alone: the lines decide at which tick a command comes,
/// never what it is or which comes next.

#ifndef BKSI_ORACLE_COMMANDS_H
#define BKSI_ORACLE_COMMANDS_H

#include "backstitch/toolkit/recording.h"

typedef struct oracle_commands {
    uint64_t seed;
    uint32_t bytes_max; ///< most bytes of a command of the game
    struct {
        uint32_t given; ///< number of commands that the seat has given
        bks_tick next;  ///< tick from which on it gives the next one
    } seats[BKS_PLAYERS_MAX];
} oracle_commands;

/// Give the next command of a seat, like bks_source.command.
size_t bksi_oracle_commands_give(oracle_commands *commands, const bks_sample *asked, void *bytes);

/// Return true if the commands of a player at a tick are the next ones of its sequence.
/// @param number  number of commands before that tick; raised by those of the tick
bool bksi_oracle_commands_follow(const oracle_commands *commands, uint32_t player,
                                 const bks_commands *recorded, uint32_t *number);

/// Recorded commands, given again at their ticks.
typedef struct oracle_recorded {
    bks_replay *replay; ///< NULL: there are none
    struct {
        bks_tick tick;
        uint32_t at; ///< offset of the next command among those of the tick
    } seats[BKS_PLAYERS_MAX];
} oracle_recorded;

/// Give the next recorded command of a tick, like bks_source.command.
size_t bksi_oracle_recorded_give(oracle_recorded *recorded, const bks_sample *asked, void *bytes,
                                 size_t capacity);

#endif
