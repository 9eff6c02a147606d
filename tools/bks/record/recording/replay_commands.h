// SPDX-License-Identifier: MIT

/// @file replay_commands.h
/// The parts of `bks replay`. Each gets its own name as argv[0] and gives the exit status.

#ifndef BKS_REPLAY_COMMANDS_H
#define BKS_REPLAY_COMMANDS_H

/// The command itself.
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
