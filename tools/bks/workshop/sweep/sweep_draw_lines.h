// SPDX-License-Identifier: MIT

/// @file sweep_draw_lines.h
/// What a seed of `bks sweep` does to the lines between peers, and what travels on them beside the
/// match.

#ifndef BKS_TOOL_SWEEP_DRAW_LINES_H
#define BKS_TOOL_SWEEP_DRAW_LINES_H

#include "workshop/sweep/sweep_draw_faults.h"

/// Lines that narrow in the middle, some of which widen again, and queues that others fill.
void draw_lines(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In half of the matches a line becomes so narrow that a match just fits, from a full queue in
/// half of these. For matches in which nothing else is wrong.
/// @return how long the match is to be, in ms: the line's time shows then; 0: nothing was drawn
uint32_t draw_narrow_line(bks_random *random, sweep_case *out);

/// Cuts of one direction: short ones, and for good where a third peer reaches both.
void draw_one_sided_cuts(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In a few matches single packets arrive seconds late.
void draw_late_packets(bks_random *random, sweep_case *out);

/// Streams of bytes beside the match.
void draw_streams(bks_random *random, sweep_case *out, uint32_t bad_ms);

#endif
