// SPDX-License-Identifier: MIT

/// @file bot.h
/// A pilot that plays to win. It flies bots' seats through bks_game.bot, and house pilots inside
/// the step. So it uses integers only, and reads nothing but the state and its own memory.

#ifndef DUEL_BOT_H
#define DUEL_BOT_H

#include "duel/duel_state.h"

/// Decide the input of one tick.
/// @param seat    0..ship_count-1
/// @param memory  8 words, zero at first
void duel_bot_think(const duel_state *duel, uint32_t seat, uint64_t memory[8], duel_input *out);

#endif
