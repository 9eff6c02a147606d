// SPDX-License-Identifier: MIT

/// @file bench_latency_run.h
/// Time from a key to the picture that shows it: on a virtual clock, and in a real window for
/// information.

#ifndef BKS_BENCH_LATENCY_RUN_H
#define BKS_BENCH_LATENCY_RUN_H

#include "backstitch/game.h"

/// Ticks a second.
#define LATENCY_TICKS_HZ 60

/// A game whose picture shows nothing but the newest input.
extern const bks_game latency_game;

/// Read the newest input, 0..65535, from a frame.
int32_t latency_shown(const bks_frame *frame);

/// A screen and its player.
typedef struct latency_case {
    uint32_t pictures_hz;
    bool is_synced;     ///< presenting waits for the screen
    uint64_t draw_ns;   ///< cost of drawing
    uint32_t presses;   ///< 1..65535
    bool samples_early; ///< the devices are read before the wait: an order that is wrong
} latency_case;

/// Times from the key, over all presses.
typedef struct latency_found {
    uint64_t mean_ns;    ///< until the picture is handed to the screen
    uint64_t worst_ns;   ///< the same
    uint64_t seen_ns;    ///< until the screen shows it, at most
    uint64_t promise_ns; ///< a tick, a picture and the drawing: worst_ns is no longer
    uint64_t lead_ns;    ///< presenting that waits: longest from handing over to the screen
} latency_found;

/// Measure on a virtual clock, in the loop of `bks play`. The same arguments give the same figures.
/// @return false: the match could not be made
bool latency_run(const latency_case *c, latency_found *out);

/// Figures of a run in a real window.
typedef struct latency_seen {
    uint64_t mean_ns; ///< from the key until presenting returned
    uint64_t worst_ns;
    uint32_t pictures_hz;
    bool is_synced; ///< presenting waits for the screen
} latency_seen;

/// Measure in a real window, with keys that the X server makes (XTest); errors go to stderr.
/// @return TOOL_OK, TOOL_NO when there is no window or no XTest
int latency_window(uint32_t presses, latency_seen *out);

#endif
