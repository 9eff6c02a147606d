// SPDX-License-Identifier: MIT

/// @file bench_latency_run.h
/// Measures the time from a key press to the picture that shows it, on a virtual clock. For
/// information the time is also measured in a real window.

#ifndef BKS_BENCH_LATENCY_RUN_H
#define BKS_BENCH_LATENCY_RUN_H

#include "backstitch/game.h"

/// Tick rate of the measured match.
#define LATENCY_TICKS_HZ 60

/// Game whose picture shows nothing but the newest input.
extern const bks_game latency_game;

/// Read the newest input, 0..65535, from a frame.
int32_t latency_shown(const bks_frame *frame);

/// Case to measure: a screen, and a number of key presses.
typedef struct latency_case {
    uint32_t pictures_hz;
    bool is_synced;     ///< true: presenting waits for the screen
    uint64_t draw_ns;   ///< time to draw a picture
    uint32_t presses;   ///< number of key presses, 1..65535
    bool samples_early; ///< true: read the devices before the wait, which is the wrong order
} latency_case;

/// Times from a key press to the picture that shows it, over all key presses.
typedef struct latency_found {
    uint64_t mean_ns;  ///< mean time from a key press until its picture is handed to the screen
    uint64_t worst_ns; ///< greatest time from a key press until its picture is handed to the screen
    uint64_t seen_ns;  ///< greatest time from a key press until its picture is on the screen
    uint64_t promise_ns; ///< promised limit of worst_ns: one tick, one picture and the time to draw
    /// If presenting waits: longest time from handing over a picture until the screen shows it.
    uint64_t lead_ns;
} latency_found;

/// Measure on a virtual clock, in the loop of `bks play`. The same arguments give the same figures.
/// @return false: the match could not be made
bool latency_run(const latency_case *c, latency_found *out);

/// Figures of a run in a real window.
typedef struct latency_seen {
    uint64_t mean_ns; ///< mean time from a key press until presenting its picture returned
    uint64_t worst_ns;
    uint32_t pictures_hz;
    bool is_synced; ///< true: presenting waits for the screen
} latency_seen;

/// Measure in a real window, with keys that the X server makes (XTest); errors go to stderr.
/// @return TOOL_OK, TOOL_NO (there is no window or no XTest)
int latency_window(uint32_t presses, latency_seen *out);

#endif
