// SPDX-License-Identifier: MIT

/// @file cmd_games.h
/// `bks games`: lists the games it finds.

#ifndef BKS_CMD_GAMES_H
#define BKS_CMD_GAMES_H

/// @return the exit status
int cmd_games(int argc, char **argv);

#endif
