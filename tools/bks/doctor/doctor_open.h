// SPDX-License-Identifier: MIT

/// @file doctor_open.h
/// What `bks doctor` is given, and the first steps, for which nothing is stepped.

#ifndef BKS_TOOL_DOCTOR_OPEN_H
#define BKS_TOOL_DOCTOR_OPEN_H

#include "doctor/doctor_case.h"

/// Open the recordings and set the options of the processes that step; errors go to stderr.
/// @param positionals  GAME A.bks [B.bks]
/// @return TOOL_OK; TOOL_MISUSE; TOOL_DAMAGED for a recording that is not whole
int doctor_open(doctor_case *c, const args_list *positionals);

/// Load the game, which must be that of the recordings; errors go to stderr.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_game(doctor_case *c);

/// Compare headers, inputs and hashes, and find the first hash that differs.
/// @return TOOL_OK, TOOL_DAMAGED
int doctor_open_compare(doctor_case *c);

void doctor_close(doctor_case *c);

#endif
