// SPDX-License-Identifier: MIT

/// @file commands.h
/// The commands of `bks`. Each gets the arguments behind `bks`, its own name as argv[0], and gives
/// the program's exit status.

#ifndef BKS_COMMANDS_H
#define BKS_COMMANDS_H

/// One command.
typedef struct command {
    const char *name;  ///< as typed
    const char *about; ///< one line for `bks --help`
    int (*run)(int argc, char **argv);
} command;

/// All commands in the order of the help; the last one's name is NULL.
extern const command commands[];

/// Run what the command line asks for; argv[0] is the program.
/// @return the exit status
int commands_run(int argc, char **argv);

int cmd_games(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_monkey(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_run(int argc, char **argv);

#endif
