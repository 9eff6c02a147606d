// SPDX-License-Identifier: MIT

/// @file check_options.h Options of a check. The command parses them once and puts them on a tape
/// for its processes.

#ifndef BKS_TOOL_CHECK_OPTIONS_H
#define BKS_TOOL_CHECK_OPTIONS_H

#include "base/args.h"
#include "record/recording/replay_file.h"

typedef struct check_options {
    const char *game; ///< name of the game to check, as typed
    args_list given_options;
    int64_t first; ///< first tick to step
    int64_t ticks; ///< one past the last tick to step
    int64_t seed;
    int64_t players;   ///< number of players; 0: as many as the game has seats
    const char *input; ///< source of the inputs of all players, as --input names it
    /// Path of a recording whose inputs are stepped, with its options, seed, players and tick rate;
    /// NULL: none.
    const char *recorded;
    /// The recording at `recorded`, opened by this process; NULL: none.
    const replay_file *recording;
    /// Value that the user gave the variant, as in NAME=VALUE; NULL: none.
    const char *value;
    bool is_serial; ///< true: both processes run their threads one after another
} check_options;

/// Options of a check in the memory that its processes share.
typedef struct check_plan {
    int64_t first;
    int64_t ticks;
    int64_t seed;
    int64_t players;
    bool is_serial;
    uint32_t option_count;
    /// Game, input, recorded, value and the given options, each text with its terminating 0.
    char texts[32768];
} check_plan;

/// Write the options for another process to read; an error goes to stderr.
/// @return false if the texts of the options are too long
bool check_options_write(const check_options *options, check_plan *plan);

/// Read the options that this process was given, and open their recording. Call it once. Errors go
/// to stderr.
/// @return TOOL_OK or TOOL_DAMAGED
int check_options_read(const check_plan *plan, check_options *out);

#endif
