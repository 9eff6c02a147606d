// SPDX-License-Identifier: MIT

/// @file bench_lockstep_plot.h
/// A drawing of lockstep matches: how far each came, over real time.

#ifndef BKS_BENCH_LOCKSTEP_PLOT_H
#define BKS_BENCH_LOCKSTEP_PLOT_H

#include "workshop/bench/bench_lockstep_run.h"

#define LOCKSTEP_LINES 3u

/// Ways to play.
typedef enum lockstep_way {
    LOCKSTEP_OURS,     ///< this library, with its automatic delay
    LOCKSTEP_TCP_SAME, ///< TCP, with the delay that this library chose
    LOCKSTEP_TCP_LONG, ///< TCP, with a delay in which a lost packet can be sent again once
    LOCKSTEP_WAYS,
} lockstep_way;

/// A line to play on.
typedef struct lockstep_line {
    const char *name; ///< for people
    const char *spec;
    uint32_t delay_ms; ///< one way
} lockstep_line;

typedef struct lockstep_plot {
    uint32_t seconds;
    uint32_t ways; ///< how many of the ways are drawn
    const char *names[LOCKSTEP_LINES];
    const char *ways_names[LOCKSTEP_WAYS];
    const lockstep_trace *traces[LOCKSTEP_LINES][LOCKSTEP_WAYS];
} lockstep_plot;

/// Write the drawing as SVG; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int lockstep_plot_write(const lockstep_plot *plot, const char *path);

#endif
