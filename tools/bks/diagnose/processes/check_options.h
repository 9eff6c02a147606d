// SPDX-License-Identifier: MIT

/// @file check_options.h
/// Options of a check. The command parses them once and hands them to its processes on a tape.

#ifndef BKS_TOOL_CHECK_OPTIONS_H
#define BKS_TOOL_CHECK_OPTIONS_H

#include "base/args.h"
#include "record/recording/replay_file.h"

typedef struct check_options {
    const char *game; ///< name of the game as typed
    args_list given_options;
    int64_t first; ///< tick that is stepped first
    int64_t ticks; ///< one past the last tick that is stepped
    int64_t seed;
    int64_t players;              ///< 0: all seats of the game
    const char *input;            ///< SOURCE of all seats
    const char *recorded;         ///< path of a recording whose inputs are stepped; NULL: none
    const replay_file *recording; ///< recording at `recorded`, opened by this process; NULL: none
    const char *value;            ///< value of the variant, behind its name; NULL: none
} check_options;

/// Options in the memory that processes share.
typedef struct check_plan {
    int64_t first;
    int64_t ticks;
    int64_t seed;
    int64_t players;
    uint32_t option_count;
    char texts[32768]; ///< game, input, recorded, value and given options, each with its zero
} check_plan;

/// Write options for a process to read; an error goes to stderr.
/// @return false: the texts of the options are too long
bool check_options_write(const check_options *options, check_plan *plan);

/// Read the options of this process, once, and open its recording; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int check_options_read(const check_plan *plan, check_options *out);

#endif
