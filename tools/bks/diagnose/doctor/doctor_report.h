// SPDX-License-Identifier: MIT

/// @file doctor_report.h Output of `bks doctor`: text, JSON, an HTML page, shortened recordings, a
/// C test.

#ifndef BKS_TOOL_DOCTOR_REPORT_H
#define BKS_TOOL_DOCTOR_REPORT_H

#include <stdio.h>

#include "diagnose/doctor/doctor_try.h"

/// Write the command that leads to the same verdict again, as one line for a shell.
void doctor_print_command(const doctor_case *c, char *out, size_t capacity);

/// Size of the text about a source line, in bytes.
enum { DOCTOR_LINE_BYTES = 400 };

/// Write which source line wrote the value that differs, or why that line is not known.
/// @param out  receives the text, "" if there is nothing to say about the line
void doctor_print_line(const doctor_verdict *v, char out[DOCTOR_LINE_BYTES]);

/// Print the case, as text (the verdict, then the advice, then the evidence) or as one JSON object.
/// @return false if not the whole JSON object was written
bool doctor_print(const doctor_case *c, bool is_json);

/// Size of the text about the sides A and B, in bytes.
enum { DOCTOR_SIDES_BYTES = 128 };

/// If the command line names only one recording, write what the sides A and B are.
/// @param out  receives the text, "" if there are two recordings
void doctor_print_sides(const doctor_case *c, char out[DOCTOR_SIDES_BYTES]);

/// Before the examination, check that the HTML page can be written; errors go to stderr.
/// @return TOOL_OK or TOOL_DAMAGED
int doctor_html_check(const char *path);

/// Write the HTML page; errors go to stderr. Repeats the proof to get the states around the
/// difference.
/// @param c  a case with a verdict
/// @return TOOL_OK or TOOL_DAMAGED
int doctor_html_write(doctor_case *c, const char *path);

/// Collect the states of both sides at the ticks around the difference. Repeat the proof to get
/// them, and read states that the proof does not give from the recorded marks. A state whose hash
/// is not the side's own is left out.
/// @param c    a case with a verdict
/// @param out  receives the states of A and of B; release each with doctor_states_free()
void doctor_states_collect(doctor_case *c, doctor_states out[2]);

/// Make a runner into which states are imported. References and pointers in a state are valid only
/// in a runner, not in the doctor's own memory.
/// @return NULL if no runner can be made
bks_runner *doctor_states_runner(const doctor_case *c);

/// Write the section of the HTML page that shows rollbacks, events and equal hashes of both
/// recordings over time.
void doctor_timeline_write(FILE *out, const doctor_case *c);

/// Before the examination, check that shortened recordings can be written; errors go to stderr.
/// @param c       receives the paths of the shortened recordings
/// @param folder  folder for the recordings; doctor_shorten() makes it if it is missing
/// @return TOOL_OK, or TOOL_MISUSE if the folder cannot be made or written to, or if it has files
///         of these names already
int doctor_shorten_check(doctor_case *c, const char *folder);

/// Write the shortest recordings that lead to the same verdict, as A.bks and B.bks. If no shorter
/// ones do, leave no file and no new folder behind, and add the reason to the evidence.
/// @param c       a case with a verdict; receives the first tick of the shortened recordings
/// @param folder  folder that doctor_shorten_check() has checked
/// @return TOOL_OK, also if no shorter recordings were written; TOOL_STOPPED
int doctor_shorten(doctor_case *c, const char *folder);

/// Size of the command that builds and runs a C test, in bytes.
enum { DOCTOR_C_TEST_COMMAND_BYTES = 8192 };

/// Before the examination, check that the folder holds no C test yet; errors go to stderr.
/// @param c       receives the path of the test
/// @param folder  folder for the test, already checked to be writable
/// @return TOOL_OK, or TOOL_MISUSE if the folder has a C test already
int doctor_c_test_check(doctor_case *c, const char *folder);

/// Write a C test that shows the fault, for the game's own tests. Two processes step the recording,
/// one of them under the change that proved the cause, and the test passes if both get the same
/// states. If no C test can show the fault, add the reason to the evidence. Errors go to stderr.
/// @param c       a case with a verdict; its path of the test becomes "" if no test is written
/// @param folder  folder for the test, made if it is missing
/// @return TOOL_OK, or TOOL_DAMAGED if the test cannot be written
int doctor_c_test_write(doctor_case *c, const char *folder);

/// Write the command that builds and runs the C test, as one line for a shell.
/// @param c    a case with the path of the C test
/// @param out  receives the line, "" if there is no test
void doctor_c_test_command(const doctor_case *c, char out[DOCTOR_C_TEST_COMMAND_BYTES]);

#endif
