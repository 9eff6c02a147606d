// SPDX-License-Identifier: MIT

/// @file vary.h
/// What is made different from one run of a game to the next, to see whether the game hears of it:
/// fresh memory of the heap, the stack below a step, addresses, the clock, the C library's random
/// numbers. Run 0 varies nothing.

#ifndef BKS_TOOL_VARY_H
#define BKS_TOOL_VARY_H

#include "backstitch/base.h"

/// What this program can vary here, with commas between them.
const char *vary_names(void);

/// Vary this process, before it loads a game.
/// @param run  number of the run, 0 or above
void vary_begin(uint32_t run);

/// Ticks to step on a throw-away state before the run's own state is made, so that nothing which is
/// hidden outside the state stands at its beginning.
bks_tick vary_ticks_before(uint32_t run);

/// Ticks to step on it once more when the run's own state is made: `init` may begin anew what is
/// hidden. Odd, as is both together, and other for each run.
bks_tick vary_ticks_behind(uint32_t run);

/// Leave other bytes on the stack: before each step.
void vary_stack(uint32_t run);

#endif
