// SPDX-License-Identifier: MIT

/// @file check_narrow.h
/// From a difference to the line that wrote it: the variant is run a second time, and in the tick
/// at which it differs a watchpoint stands on the field's bytes in both processes.

#ifndef BKS_TOOL_CHECK_NARROW_H
#define BKS_TOOL_CHECK_NARROW_H

#include "diagnose/processes/check_tape.h"
#include "diagnose/processes/check_watch.h"

/// What a second run has to look at. If it would show nothing, the result says why.
/// @return whether there is something
bool check_narrow_request(check_result *result, check_request *out);

/// Take the lines that a second run found, if it came to the same.
void check_narrow_take(check_result *result, const check_result *second);

/// In the command: watch the baseline, if it stands before the tick.
void check_narrow_baseline(check_tape *tape, pid_t baseline);

/// In the baseline, before and behind the step of a tick.
void check_narrow_enter(check_tape *tape);
void check_narrow_leave(check_tape *tape);

/// In the baseline: watch the process that varies, which waits for the tick.
/// @return whether check_narrow_finish() is to be called
bool check_narrow_variant(check_tape *tape, pid_t variant, check_watch *watch);

/// In the baseline: wait for its step, and name the line.
void check_narrow_finish(check_tape *tape, check_watch *watch);

/// In the process that varies, when its tick is done.
void check_narrow_done(const check_tape *tape);

#endif
