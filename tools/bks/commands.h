// SPDX-License-Identifier: MIT

/// @file commands.h
/// The commands of `bks`. Each gets the arguments behind `bks`, its own name as argv[0], and gives
/// the program's exit status.

#ifndef BKS_COMMANDS_H
#define BKS_COMMANDS_H

#include "base/command.h"

/// All commands in the order of the help; the last one's name is NULL.
extern const command commands[];

/// Run what the command line asks for; argv[0] is the program.
/// @return the exit status
int commands_run(int argc, char **argv);

#endif
