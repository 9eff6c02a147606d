// SPDX-License-Identifier: MIT

/// @file command.h
/// A command of the program, or of one of its commands.

#ifndef BKS_TOOL_COMMAND_H
#define BKS_TOOL_COMMAND_H

/// One command.
typedef struct command {
    const char *name;  ///< as typed
    const char *about; ///< one line for the help
    int (*main)(int argc, char **argv);
} command;

#endif
