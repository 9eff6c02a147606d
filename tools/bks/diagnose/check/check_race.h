// SPDX-License-Identifier: MIT

/// @file check_race.h Races of the threads that a game makes. A race can make any variant differ,
/// so each difference is tried again with the threads one after another before a cause is named.

#ifndef BKS_TOOL_CHECK_RACE_H
#define BKS_TOOL_CHECK_RACE_H

#include "diagnose/check/check_fault.h"

/// Most runs with the threads as they come, and with threads one after another. Both are made until
/// they prove a race or show too few differences.
enum { CHECK_RACE_PLAIN_MAX = 24, CHECK_RACE_SERIAL_MAX = 24 };

/// Return true if more runs with the threads as they come may help to prove a race.
/// @param plain   number of such runs so far
/// @param differ  number of them that differ
bool check_race_wants_plain(uint32_t plain, uint32_t differ);

/// Return how many runs with threads one after another must come to the same to prove a race.
/// @return more than CHECK_RACE_SERIAL_MAX if too few of the plain runs differ
uint32_t check_race_runs_needed(uint32_t plain, uint32_t differ);

/// Return the change beside which threads run one after another: another world in the first runs,
/// so that neither clocks nor random numbers explain what threads do, and then none, because a
/// world takes a second where the system has no other locale.
/// @param runs  number of such runs so far
const check_variant *check_race_serial_variant(uint32_t runs);

/// Try each difference of a report with the game's threads one after another, and find out whether
/// these threads race. A difference that stays is replaced by the one found so, which no race
/// alters. Call this for a game that makes threads, if anything differs.
/// @return TOOL_OK, TOOL_STOPPED, or another status with an error on stderr
int check_race_find(check_run *run, check_report *report);

#endif
