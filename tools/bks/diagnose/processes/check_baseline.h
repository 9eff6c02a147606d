// SPDX-License-Identifier: MIT

/// @file check_baseline.h
/// The baseline as the command sees it: whether a step of it ends, and how.

#ifndef BKS_TOOL_CHECK_BASELINE_H
#define BKS_TOOL_CHECK_BASELINE_H

#include "diagnose/processes/check_patience.h"
#include "diagnose/processes/check_tape.h"

/// Looks at a baseline. Start from {0}.
typedef struct check_baseline {
    check_look look;
    uint32_t stretch; ///< of its work that is looked at, 0: none
} check_baseline;

/// Look at the baseline, again and again. When it hangs it is killed, and the tape's result says
/// where it was.
/// @return whether it hangs
bool check_baseline_hangs(check_baseline *baseline, check_tape *tape, pid_t process);

/// Note that a step of the baseline ended its process.
/// @param signal_number  that did so, 0: the game called exit()
void check_baseline_ended(check_tape *tape, int signal_number);

#endif
