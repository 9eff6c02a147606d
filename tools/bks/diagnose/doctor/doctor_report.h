// SPDX-License-Identifier: MIT

/// @file doctor_report.h
/// Output of `bks doctor`: text, JSON, a page, shortened recordings, a C test.

#ifndef BKS_TOOL_DOCTOR_REPORT_H
#define BKS_TOOL_DOCTOR_REPORT_H

#include <stdio.h>

#include "diagnose/doctor/doctor_try.h"

/// Write the command that leads to the same verdict, as one line for a shell.
void doctor_print_command(const doctor_case *c, char *out, size_t capacity);

/// Bytes of the text about a source line.
enum { DOCTOR_LINE_BYTES = 400 };

/// Write which source line wrote the value, or why that is not known.
/// @param out  receives the text, "" if there is nothing to say about a line
void doctor_print_line(const doctor_verdict *v, char out[DOCTOR_LINE_BYTES]);

/// Print the verdict first, then what to do and the evidence.
void doctor_print_text(const doctor_case *c);

/// Print the case as one JSON object.
/// @return true if all of it was written
bool doctor_print_json(const doctor_case *c);

/// Bytes of the text about the sides.
enum { DOCTOR_SIDES_BYTES = 128 };

/// Write what A and B stand for, if the command line names only one recording.
/// @param out  receives the text, "" with two recordings
void doctor_print_sides(const doctor_case *c, char out[DOCTOR_SIDES_BYTES]);

/// Check, before the examination, that the page can be written; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int doctor_html_check(const char *path);

/// Write the page; errors go to stderr. Repeats the proof to get the states around the difference.
/// @param c  examined
/// @return TOOL_OK, TOOL_DAMAGED
int doctor_html_write(doctor_case *c, const char *path);

/// Collect the states of both sides at the ticks around the difference. Repeat the proof to get
/// them, and take the others from recorded marks.
/// @param c    examined
/// @param out  receives the states of A and of B; release each with doctor_states_free()
void doctor_states_collect(doctor_case *c, doctor_states out[2]);

/// Write the section of a page that shows rollbacks, events and equal hashes of both recordings
/// over time.
void doctor_timeline_write(FILE *out, const doctor_case *c);

/// Check, before the examination, that shortened recordings can be written; errors go to stderr.
/// @param c       receives their paths
/// @param folder  made later if it is missing
/// @return TOOL_OK; TOOL_MISUSE: the folder cannot be made or written to, or has such files already
int doctor_shorten_check(doctor_case *c, const char *folder);

/// Write the shortest recordings that lead to the same verdict, A.bks and B.bks. If there are none,
/// leaves no file and no new folder behind, and adds a piece of evidence.
/// @param c       with a verdict; receives the first tick of the recordings
/// @param folder  checked by doctor_shorten_check()
/// @return TOOL_OK, also if nothing is shorter; TOOL_STOPPED
int doctor_shorten(doctor_case *c, const char *folder);

/// Bytes of the command that builds and runs a C test.
enum { DOCTOR_C_TEST_COMMAND_BYTES = 8192 };

/// Check, before the examination, that the folder holds no C test yet; errors go to stderr.
/// @param c       receives the path of the test
/// @param folder  can be written to
/// @return TOOL_OK; TOOL_MISUSE: the folder has a C test already
int doctor_c_test_check(doctor_case *c, const char *folder);

/// Write a C test that shows the fault, for the game's own tests: two processes step the recording,
/// one of them under the change that proved the cause, and must come to the same states. If no such
/// test can show the fault, adds the reason to the evidence. Errors go to stderr.
/// @param c       with a verdict; its path of the test becomes "" if none is written
/// @param folder  made if missing
/// @return TOOL_OK; TOOL_DAMAGED: it cannot be written
int doctor_c_test_write(doctor_case *c, const char *folder);

/// Write the line for a shell that builds and runs the C test.
/// @param c    with the path of the test
/// @param out  receives the line, "" without a test
void doctor_c_test_command(const doctor_case *c, char out[DOCTOR_C_TEST_COMMAND_BYTES]);

#endif
