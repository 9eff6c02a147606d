// SPDX-License-Identifier: MIT

/// @file baseline_process.h
/// The baseline of one variant: steps the game, writes each tick onto the tape and lets the process
/// that varies compare itself with it.

#ifndef BKS_TOOL_BASELINE_PROCESS_H
#define BKS_TOOL_BASELINE_PROCESS_H

#include "diagnose/processes/variant_process.h"

/// Be the baseline until the ticks end or something differs; the tape's result says which.
/// @return the exit status
int baseline_main(const check_options *options, const check_variant *kind, const check_task *task,
                  check_tape *tape);

#endif
