// SPDX-License-Identifier: MIT

/// @file doctor_open.h
/// What `bks doctor` is given, and where it first differs.

#ifndef BKS_TOOL_DOCTOR_OPEN_H
#define BKS_TOOL_DOCTOR_OPEN_H

#include "diagnose/doctor/doctor_case.h"

/// Open the recordings and set the options of the processes that step; errors go to stderr.
/// @param game  as typed, NULL: that of the recording
/// @param a, b  paths of recordings; b may be NULL
/// @return TOOL_OK; TOOL_MISUSE; TOOL_DAMAGED for a recording that is not whole
int doctor_open(doctor_case *c, const char *game, const char *a, const char *b);

/// Load the game and nothing else; errors go to stderr.
/// @return as loader_open()
int doctor_open_load(const doctor_case *c, loaded_game *out);

/// Load the game, which must be that of the recordings; errors go to stderr.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_game(doctor_case *c);

/// Compare headers, inputs and hashes, and find the first hash that differs; a recording alone is
/// stepped here, as by doctor_open_here(). Errors go to stderr.
/// @return TOOL_OK, also when they differ; TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_compare(doctor_case *c);

/// Step the recording of side A and compare it with what it holds: sets the first tick that differs
/// and the window around it; errors go to stderr.
/// @return TOOL_OK, also when it differs; TOOL_MISUSE, TOOL_DAMAGED
int doctor_open_here(doctor_case *c, bks_verify_result *out);

/// Close the recordings; those that are not open are passed over.
void doctor_close(doctor_case *c);

#endif
