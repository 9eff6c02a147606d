// SPDX-License-Identifier: MIT

/// @file cmd_check.h
/// `bks check`: is a game deterministic, and where is it not?

#ifndef BKS_CMD_CHECK_H
#define BKS_CMD_CHECK_H

/// @return the exit status
int cmd_check(int argc, char **argv);

#endif
