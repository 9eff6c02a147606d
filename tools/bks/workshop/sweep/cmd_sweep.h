// SPDX-License-Identifier: MIT

/// @file cmd_sweep.h
/// `bks sweep`: runs lab matches with random everything until one fails.

#ifndef BKS_TOOL_CMD_SWEEP_H
#define BKS_TOOL_CMD_SWEEP_H

/// @return the exit status
int cmd_sweep(int argc, char **argv);

#endif
