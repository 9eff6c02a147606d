// SPDX-License-Identifier: MIT

/// @file check_options.h
/// What the command line of `bks check` says, the same in all its processes.

#ifndef BKS_TOOL_CHECK_OPTIONS_H
#define BKS_TOOL_CHECK_OPTIONS_H

#include "base/args.h"
#include "record/recording/replay_file.h"

typedef struct check_options {
    args_list positionals;
    args_list given_options;
    int64_t first; ///< tick that is stepped first
    int64_t ticks; ///< one past the last
    int64_t seed;
    int64_t players;              ///< 0: all seats of the game
    const char *input;            ///< SOURCE of all seats
    const replay_file *recording; ///< whose inputs are stepped instead; NULL: none
    const char *variants;         ///< a list, NULL: all
    const char *value;            ///< in a process of a variant: behind its name there; NULL: none
    const char *until; ///< how long seeds are checked one after the other, NULL: one seed alone
    int64_t jobs;      ///< of those at a time, 0: one for each processor
    bool is_json;
} check_options;

#endif
