// SPDX-License-Identifier: MIT

/// @file backstitch.h
/// All of the library that a game ships; begin with match.h.
///
///     base.h      statuses, errors, ticks, the log
///     state.h     the region that holds a state: arena, pools, references, names of its ranges
///     det.h       for steps: random numbers, sort and map, jobs, guarded floating point
///     math.h      for steps: functions with the same bits everywhere, vectors, fixed point
///     game.h      what a game is: its input, `init`, `step`, cues, sounds
///     match.h     an online match with UDP, a clock and a recording; or one on this machine
///     net.h       transports: UDP, or one of your own
///     session.h   a match without game, socket and clock, for a program with a loop of its own
///     present.h   seen and heard between ticks: cues, mixer, easing, figures, letters
///     record.h    what a recording holds
///     replay.h    reading, playing and verifying recordings
///     plugin.h    a game as a plug-in of the program bks
///
/// A match, a session and a playback have verbs in common (update, event, tick, …). A match is a
/// session with a game, a socket and a clock. A program that brings these itself drives the session
/// directly. A playback steps a recording and needs neither socket nor clock.
///
/// Not included here: sdl2.h for programs with SDL2, and the folder toolkit/ for tools.

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
