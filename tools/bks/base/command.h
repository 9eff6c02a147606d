// SPDX-License-Identifier: MIT

/// @file command.h
/// The commands of the program. Each gets its own name as argv[0] and returns the exit status.

#ifndef BKS_TOOL_COMMAND_H
#define BKS_TOOL_COMMAND_H

/// One command.
typedef struct command {
    const char *name;  ///< as typed
    const char *about; ///< one line for the help
    int (*main)(int argc, char **argv);
} command;

int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_games(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_monkey(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_sweep(int argc, char **argv);

/// `bks replay`, and its parts.
int cmd_replay(int argc, char **argv);
int cmd_replay_info(int argc, char **argv);
int cmd_replay_verify(int argc, char **argv);
int cmd_replay_cat(int argc, char **argv);
int cmd_replay_hash(int argc, char **argv);
int cmd_replay_state(int argc, char **argv);
int cmd_replay_cut(int argc, char **argv);
int cmd_replay_diff(int argc, char **argv);
int cmd_replay_log(int argc, char **argv);
int cmd_replay_export(int argc, char **argv);

#endif
