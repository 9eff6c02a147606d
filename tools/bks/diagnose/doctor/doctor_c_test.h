// SPDX-License-Identifier: MIT

/// @file doctor_c_test.h
/// A C test that shows the fault, for the game's own tests: it steps the recording in two processes
/// that must come to the same states, one of them under the change that proved the cause.

#ifndef BKS_TOOL_DOCTOR_C_TEST_H
#define BKS_TOOL_DOCTOR_C_TEST_H

#include "diagnose/doctor/doctor_case.h"

/// The longest command.
enum { DOCTOR_C_TEST_COMMAND_BYTES = 8192 };

/// Say where the test will go, before anything is examined; errors go to stderr.
/// @param c       receives the path
/// @param folder  that can be written to
/// @return TOOL_OK; TOOL_MISUSE: there is one already
int doctor_c_test_check(doctor_case *c, const char *folder);

/// Write it, about the shortened recordings, or about those given where no part is shorter. Where
/// no test of a program alone can show the fault, the evidence says why, and no path is left in the
/// case.
/// @param c       with a verdict
/// @param folder  made if missing
/// @return TOOL_OK; TOOL_DAMAGED: it cannot be written, which stderr says
int doctor_c_test_write(doctor_case *c, const char *folder);

/// The one line for a shell that builds and runs it.
/// @param c    with the path of a test
/// @param out  "" when there is none
void doctor_c_test_command(const doctor_case *c, char out[DOCTOR_C_TEST_COMMAND_BYTES]);

#endif
