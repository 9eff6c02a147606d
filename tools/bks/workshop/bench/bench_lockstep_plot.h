// SPDX-License-Identifier: MIT

/// @file bench_lockstep_plot.h
/// A drawing of lockstep matches: the ticks that each has stepped, over real time.

#ifndef BKS_BENCH_LOCKSTEP_PLOT_H
#define BKS_BENCH_LOCKSTEP_PLOT_H

#include <stdio.h>

#include "workshop/bench/bench_lockstep_run.h"

#define LOCKSTEP_LINES 3u

/// Ways to play a lockstep match.
typedef enum lockstep_way {
    LOCKSTEP_OURS,     ///< with this library and its automatic input delay
    LOCKSTEP_TCP_SAME, ///< over TCP, with the input delay that this library chose
    LOCKSTEP_TCP_LONG, ///< over TCP, with an input delay that allows one retransmission
    LOCKSTEP_WAYS,
} lockstep_way;

/// A line to play lockstep matches on.
typedef struct lockstep_line {
    const char *name; ///< name of the line in the table and the drawing
    const char *spec;
    uint32_t delay_ms; ///< delay of a packet from one peer to the other
} lockstep_line;

typedef struct lockstep_plot {
    uint32_t seconds;
    uint32_t ways; ///< number of ways to play that are drawn
    const char *names[LOCKSTEP_LINES];
    const char *ways_names[LOCKSTEP_WAYS];
    const lockstep_trace *traces[LOCKSTEP_LINES][LOCKSTEP_WAYS];
} lockstep_plot;

/// Write the drawing as SVG and close the file; errors go to stderr.
/// @param path  name of the file, for errors
/// @return TOOL_OK, TOOL_DAMAGED
int lockstep_plot_write(const lockstep_plot *plot, FILE *out, const char *path);

#endif
