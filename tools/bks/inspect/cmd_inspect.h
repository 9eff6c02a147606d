// SPDX-License-Identifier: MIT

/// @file cmd_inspect.h
/// `bks inspect`: a live view of a running match.

#ifndef BKS_TOOL_CMD_INSPECT_H
#define BKS_TOOL_CMD_INSPECT_H

/// Run the command.
/// @return an exit status
int cmd_inspect(int argc, char **argv);

#endif
