// SPDX-License-Identifier: MIT

/// @file check_until.h
/// The same check with one seed after the other, several at a time, until something differs or the
/// time is up: for faults that few games have, and races that few runs show.

#ifndef BKS_TOOL_CHECK_UNTIL_H
#define BKS_TOOL_CHECK_UNTIL_H

#include "diagnose/processes/check_options.h"

/// Read a length of time such as "90", "90s", "10m" or "2h".
/// @return whether it is one, of at least a second and at most a year
bool check_until_read(const char *text, uint64_t *out_seconds);

/// Checks of many seeds.
typedef struct check_until_config {
    const check_options *options; ///< seeds from options->seed on
    const char *variants;         ///< a list, NULL: all
    const char *game;             ///< its name
    uint64_t seconds;             ///< then no more, but one check at least to its end
    int64_t jobs;                 ///< seeds at a time, 0: one for each processor
    bool is_json;                 ///< print one object
} check_until_config;

/// Check one seed after the other.
/// @return TOOL_OK: nothing differed; TOOL_NO: something did; TOOL_STOPPED; TOOL_MISUSE,
/// TOOL_DAMAGED: a check
///         could not be made, stderr says why
int check_until(const check_until_config *config);

#endif
