// SPDX-License-Identifier: MIT

/// @file cmd_check.h
/// `bks check`: test whether a game is deterministic, and show where it is not.

#ifndef BKS_CMD_CHECK_H
#define BKS_CMD_CHECK_H

/// @return the exit status
int cmd_check(int argc, char **argv);

#endif
