// SPDX-License-Identifier: MIT

/// @file cmd_run.h
/// `bks run`: play a recording at full speed.

#ifndef BKS_TOOL_CMD_RUN_H
#define BKS_TOOL_CMD_RUN_H

/// @return the exit status
int cmd_run(int argc, char **argv);

#endif
