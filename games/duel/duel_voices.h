// SPDX-License-Identifier: MIT

/// @file duel_voices.h
/// The sounds of duel that are part of its state: music that follows the match, the rustle of
/// tiles, a hum for each ship that charges.

#ifndef DUEL_DUEL_VOICES_H
#define DUEL_DUEL_VOICES_H

#include "duel/duel_state.h"

/// Begin the music.
void duel_voices_begin(duel_state *duel);

/// A tick begins: what sounds has moved on.
void duel_voices_move(duel_state *duel, const bks_step *step);

/// A tick ends: let them sound as the state is.
void duel_voices_step(duel_state *duel);

#endif
