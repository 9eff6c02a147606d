// SPDX-License-Identifier: MIT

/// @file check_until.h Checks of one seed after another, several at a time, until a check finds a
/// difference or the time is up. This finds faults and races that show in few matches.

#ifndef BKS_TOOL_CHECK_UNTIL_H
#define BKS_TOOL_CHECK_UNTIL_H

#include "diagnose/processes/check_options.h"

/// Read a length of time such as "90", "90s", "10m" or "2h".
/// @return false if the text is no length of time, or not between a second and a year
bool check_until_read(const char *text, uint64_t *out_seconds);

/// Settings of a check of many seeds.
typedef struct check_until_config {
    const check_options *options; ///< options of each check; seeds begin with options->seed
    const char *variants;         ///< list of variants, NULL: all variants
    const char *game;             ///< name of the game
    uint64_t seconds;             ///< time after which no more seeds are begun
    /// Number of checks that run at the same time, 0: one for each processor.
    int64_t jobs;
    bool is_json; ///< true: print the report as one JSON object
} check_until_config;

/// Check one seed after another.
/// @return TOOL_OK: no seed showed a difference; TOOL_NO: a seed showed one; TOOL_STOPPED;
///         TOOL_MISUSE or TOOL_DAMAGED: a check failed, with an error on stderr
int check_until(const check_until_config *config);

#endif
