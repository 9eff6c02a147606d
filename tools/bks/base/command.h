// SPDX-License-Identifier: MIT

/// @file command.h
/// The commands of `bks` and of `bks replay`. A command gets the arguments from its own name on, so
/// argv[0] is the name. It returns the program's exit status.

#ifndef BKS_TOOL_COMMAND_H
#define BKS_TOOL_COMMAND_H

/// A command of the program, or a part of a command such as "verify" of `bks replay`.
typedef struct tool_command {
    const char *name;  ///< name as the user types it
    const char *about; ///< description of the command in the help, one line
    int (*main)(int argc, char **argv);
} tool_command;

/// All commands in the order of the help; the last one's name is NULL.
extern const tool_command commands[];

/// Run the command that the command line names; argv[0] is the program.
/// @return the exit status
int commands_run(int argc, char **argv);

int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_games(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_monkey(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_replay_cat(int argc, char **argv);
int cmd_replay_cut(int argc, char **argv);
int cmd_replay_diff(int argc, char **argv);
int cmd_replay_export(int argc, char **argv);
int cmd_replay_hash(int argc, char **argv);
int cmd_replay_info(int argc, char **argv);
int cmd_replay_log(int argc, char **argv);
int cmd_replay_state(int argc, char **argv);
int cmd_replay_verify(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_sweep(int argc, char **argv);

#endif
