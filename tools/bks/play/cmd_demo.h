// SPDX-License-Identifier: MIT

/// @file cmd_demo.h
/// `bks demo`: shows a match over a bad connection.

#ifndef BKS_TOOL_CMD_DEMO_H
#define BKS_TOOL_CMD_DEMO_H

/// @return the exit status
int cmd_demo(int argc, char **argv);

#endif
