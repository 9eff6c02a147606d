// SPDX-License-Identifier: MIT

/// @file check_race.h Races of the threads that a game makes. A race can make any variant differ,
/// so each difference is tried again with the threads one after another before a cause is named.

#ifndef BKS_TOOL_CHECK_RACE_H
#define BKS_TOOL_CHECK_RACE_H

#include "diagnose/check/check_fault.h"

/// Number of runs that show how often a race shows, and most runs with threads one after another.
enum { CHECK_RACE_PLAIN_RUNS = 6, CHECK_RACE_SERIAL_RUNS = 12 };

/// Return how many runs with threads one after another must come to the same before chance no
/// longer explains that, if `differ` of `plain` runs do not.
/// @return more than CHECK_RACE_SERIAL_RUNS if too few runs differ
uint32_t check_race_runs_needed(uint32_t plain, uint32_t differ);

/// Try each difference of a report with the game's threads one after another, and find out whether
/// these threads race. A difference that stays is replaced by the one found so, which no race
/// alters. Call this for a game that makes threads, if anything differs.
/// @return TOOL_OK, TOOL_STOPPED, or another status with an error on stderr
int check_race_find(check_run *run, check_report *report);

#endif
