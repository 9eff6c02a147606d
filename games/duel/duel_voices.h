// SPDX-License-Identifier: MIT

/// @file duel_voices.h
/// Voices of duel, the sounds that are part of its state: music that follows the match, the rustle
/// of tiles, a hum for each ship that charges.

#ifndef DUEL_DUEL_VOICES_H
#define DUEL_DUEL_VOICES_H

#include "duel/duel_state.h"

/// Begin the music.
void duel_voices_begin(duel_state *duel);

/// Move the voices on at the beginning of a tick.
void duel_voices_move(duel_state *duel, const bks_step *step);

/// Set the voices by the state at the end of a tick.
void duel_voices_step(duel_state *duel);

#endif
