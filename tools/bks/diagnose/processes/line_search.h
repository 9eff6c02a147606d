// SPDX-License-Identifier: MIT

/// @file line_search.h
/// Search for the line that wrote a difference: the variant runs a second time, with a watchpoint
/// on the field's bytes in both processes during the tick that differs.

#ifndef BKS_TOOL_LINE_SEARCH_H
#define BKS_TOOL_LINE_SEARCH_H

#include "diagnose/processes/check_tape.h"
#include "diagnose/processes/check_watch.h"

/// Make the request for a second run. If none would help, the result says why.
/// @return true if a second run can name a line
bool line_search_request(check_result *result, check_request *out);

/// Take the lines of a second run if it found the same difference.
void line_search_take(check_result *result, const check_result *second);

/// In the command: watch the baseline if it waits before the tick.
void line_search_watch_baseline(check_tape *tape, pid_t baseline);

/// In the baseline: wait before the step of the requested tick, and stop after it.
void line_search_enter(check_tape *tape);
void line_search_leave(check_tape *tape);

/// In the baseline: watch the variant, which waits for the tick.
/// @return true if line_search_finish() must be called
bool line_search_watch_variant(check_tape *tape, pid_t variant, check_watch *watch);

/// In the baseline: wait for the variant's step, and name the line.
void line_search_finish(check_tape *tape, check_watch *watch);

/// In the variant: stop after the step if the baseline watches it.
void line_search_done(const check_tape *tape);

#endif
