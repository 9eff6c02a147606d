// SPDX-License-Identifier: MIT

/// @file cmd_play.h
/// `bks play`: plays a game, alone or over the network, or watches a recording of one.

#ifndef BKS_TOOL_CMD_PLAY_H
#define BKS_TOOL_CMD_PLAY_H

/// @return the exit status
int cmd_play(int argc, char **argv);

#endif
