// SPDX-License-Identifier: MIT

/// @file bench_latency_game.h
/// A game whose picture shows nothing but what was last pressed.

#ifndef BKS_BENCH_LATENCY_GAME_H
#define BKS_BENCH_LATENCY_GAME_H

#include "backstitch/frame.h"
#include "backstitch/game.h"

/// Ticks a second.
#define LATENCY_TICKS_HZ 60

extern const bks_game latency_game;

/// What a frame shows: the newest input, 0..65535.
int32_t latency_shown(const bks_frame *frame);

#endif
