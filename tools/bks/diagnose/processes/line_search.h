// SPDX-License-Identifier: MIT

/// @file line_search.h Search for the source line that wrote a difference. The variant runs a
/// second time. During the tick that differs, a watchpoint lies on the field's bytes in both
/// processes.

#ifndef BKS_TOOL_LINE_SEARCH_H
#define BKS_TOOL_LINE_SEARCH_H

#include "diagnose/processes/check_tape.h"
#include "diagnose/processes/check_watch.h"

/// Make the request for a second run. If no second run can help, write the reason into `result`.
/// @return true if a second run can find a source line
bool line_search_request(check_result *result, check_request *out);

/// Copy the source lines from a second run into `result`, if it found the same difference.
/// @return false if it did not
bool line_search_take(check_result *result, const check_result *second);

/// In the command's process: watch the baseline if it waits before the requested tick.
void line_search_watch_baseline(check_tape *tape, pid_t baseline);

/// In the baseline's process, for the requested tick: line_search_enter() waits before the step
/// until the command watches this process, and line_search_leave() stops this process after the
/// step.
void line_search_enter(check_tape *tape);
void line_search_leave(check_tape *tape);

/// In the baseline's process, before a mark is put onto the tape: note the watched values.
void line_search_mark(check_tape *tape);

/// In the variant's process: note the watched values at the beginning of a section, and where the
/// difference was found.
void line_search_section(check_tape *tape);
void line_search_found(check_tape *tape);

/// As line_search_enter() and line_search_leave(), around making the game's first state.
/// @param code  any address within the game's plug-in
void line_search_enter_start(check_tape *tape, uint64_t code);
void line_search_leave_start(const check_tape *tape);

/// In the baseline's process: watch the variant, which has not begun the requested tick yet.
/// @return true if line_search_finish() must be called
bool line_search_watch_variant(check_tape *tape, pid_t variant, check_watch *watch);

/// In the baseline's process: wait until the variant has made its step, and find the source line.
void line_search_finish(check_tape *tape, check_watch *watch);

/// In the variant's process: stop this process after the step if the baseline watches it.
void line_search_done(const check_tape *tape);

#endif
