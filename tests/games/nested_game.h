// SPDX-License-Identifier: MIT

/// @file nested_game.h
/// A small game whose items own pools and refer to each other: trees that bear fruit and shade a
/// neighbour. Every reference in it is followed at every step, and written through.

#ifndef TEST_NESTED_GAME_H
#define TEST_NESTED_GAME_H

#include "backstitch/game.h"

extern const bks_game nested_game;

/// While set, references are followed as far as they lead, and nothing is checked: a planted fault.
extern bool nested_follows_blindly;

#endif
