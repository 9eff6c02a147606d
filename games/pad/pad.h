// SPDX-License-Identifier: MIT

/// @file pad.h
/// The neutral simulation `pad`, for tests and benchmarks. Its input is a whole controller. Options
/// set the size of its state and how much of the state a step writes. It has no rules. Every bit of
/// every input affects all later states, so one wrong input gives wrong hashes from its tick on.
///
/// Input, 64 bits: buttons b0..b15; sticks ax1, ax2 and ax3, ax4 of -127..127; triggers trig1,
/// trig2 of 0..255.
///
/// Options: `state`, bytes of the state, 1KiB..256MiB; `touch`, the share of the state that a step
/// writes, 0%..100% with up to 4 decimals. A step writes whole pages and a part of the last one.

#ifndef PAD_H
#define PAD_H

#include "backstitch/game.h"

enum { PAD_BUTTONS = 16, PAD_AXES = 4, PAD_TRIGGERS = 2 };

/// First byte of a command that a step refuses, with its index as the reason.
#define PAD_REFUSED 0xFFu

/// An input, with the fields of the game's table.
typedef struct pad_input {
    int32_t button[PAD_BUTTONS];
    int32_t axis[PAD_AXES];
    int32_t trigger[PAD_TRIGGERS];
} pad_input;

/// Digest of one player's inputs.
typedef struct pad_player {
    uint64_t mixed;  ///< digest of all inputs and commands so far; a difference stays for good
    uint64_t packed; ///< the newest input: buttons from bit 0, axes from 16, triggers from 48
} pad_player;

/// The state: this struct, followed by words that a step writes.
typedef struct pad_state {
    uint64_t mixed;       ///< digest of seed and players, changes every tick
    uint32_t state_bytes; ///< size of the state, from the option `state`
    uint32_t touch_bytes; ///< bytes after this struct that a step writes
    uint64_t sizes_check; ///< check of the two sizes, so that a step writes nothing if a bit of a
                          ///< size was flipped
    uint32_t players;
    uint32_t ticks; ///< ticks stepped so far
    pad_player player[BKS_PLAYERS_MAX];
} pad_state;

extern const bks_game pad_game;

/// Return the newest input of a player, from the bits that the state keeps.
pad_input pad_newest_input(const pad_player *player);

#endif
