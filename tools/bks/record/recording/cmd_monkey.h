// SPDX-License-Identifier: MIT

/// @file cmd_monkey.h
/// `bks monkey`: plays random inputs and records them.

#ifndef BKS_TOOL_CMD_MONKEY_H
#define BKS_TOOL_CMD_MONKEY_H

/// @return the exit status
int cmd_monkey(int argc, char **argv);

#endif
