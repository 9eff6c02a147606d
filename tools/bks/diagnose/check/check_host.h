// SPDX-License-Identifier: MIT

/// @file check_host.h
/// The baseline of one variant: steps the game, writes each tick onto the tape and lets the process
/// that varies compare itself with it.

#ifndef BKS_TOOL_CHECK_HOST_H
#define BKS_TOOL_CHECK_HOST_H

#include "diagnose/processes/check_options.h"
#include "diagnose/processes/check_seat.h"
#include "diagnose/processes/check_tape.h"

/// Be the baseline until the ticks end or something differs; the tape's result says which.
/// @param argv  of the command
/// @return the exit status
int check_host_main(const check_options *options, char **argv, const check_seat *seat,
                    check_tape *tape);

#endif
