// SPDX-License-Identifier: MIT

/// @file backstitch.h
/// All of the library that a game ships; begin with match.h. Code for programs with SDL2 is in
/// sdl2.h.

#ifndef BACKSTITCH_BACKSTITCH_H
#define BACKSTITCH_BACKSTITCH_H

#include "backstitch/base.h"
#include "backstitch/det.h"
#include "backstitch/game.h"
#include "backstitch/match.h"
#include "backstitch/math.h"
#include "backstitch/net.h"
#include "backstitch/plugin.h"
#include "backstitch/present.h"
#include "backstitch/record.h"
#include "backstitch/replay.h"
#include "backstitch/session.h"
#include "backstitch/state.h"

#endif // BACKSTITCH_BACKSTITCH_H
