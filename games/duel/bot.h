// SPDX-License-Identifier: MIT

/// @file bot.h
/// A pilot that plays to win. Flies bots' seats through bks_game.bot, and house pilots inside the
/// step, so it is integer arithmetic on nothing but the state and its own memory.

#ifndef DUEL_BOT_H
#define DUEL_BOT_H

#include "duel/duel_state.h"

/// One tick of thought.
/// @param seat    0..ship_count-1
/// @param memory  8 words, zero at first
void duel_bot_think(const duel_state *duel, uint32_t seat, uint64_t memory[8], duel_input *out);

#endif
