// SPDX-License-Identifier: MIT

/// @file doctor_report.h
/// Everything that `bks doctor` writes: text, JSON, a page, shortened recordings, a C test.

#ifndef BKS_TOOL_DOCTOR_REPORT_H
#define BKS_TOOL_DOCTOR_REPORT_H

#include <stdio.h>

#include "backstitch/base.h"
#include "diagnose/doctor/doctor_case.h"

/// The command that comes to the verdict again, as one line for a shell.
void doctor_print_command(const doctor_case *c, char *out, size_t capacity);

/// Room for a line of source.
enum { DOCTOR_LINE_BYTES = 400 };

/// Write in which line the value was written, or why that is not known.
/// @param out  receives the text, "" where no line is to be expected
void doctor_print_line(const doctor_verdict *v, char out[DOCTOR_LINE_BYTES]);

/// Print the verdict first, then what to do and the evidence.
void doctor_print_text(const doctor_case *c);

/// Print one JSON object.
/// @return whether all of it was written
bool doctor_print_json(const doctor_case *c);

/// Room for what the sides are.
enum { DOCTOR_SIDES_BYTES = 128 };

/// Write what A and B are, where the command line does not say it: with one recording.
/// @param out  receives the text, "" with two
void doctor_print_sides(const doctor_case *c, char out[DOCTOR_SIDES_BYTES]);

/// See whether the page can be written, before anything is examined; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int doctor_html_check(const char *path);

/// Write the page; errors go to stderr. The proof is made once more, for the states around it.
/// @param c  examined
/// @return TOOL_OK, TOOL_DAMAGED
int doctor_html_write(doctor_case *c, const char *path);

/// Write both recordings over the ticks that were compared, as a part of a page: rollbacks, events,
/// and where the hashes part.
void doctor_timeline_write(FILE *out, const doctor_case *c);

/// Say where the parts will go, before anything is examined, and see whether they can; errors go to
/// stderr.
/// @param c       receives the paths
/// @param folder  made later if it is missing
/// @return TOOL_OK; TOOL_MISUSE: it cannot be made or written to, or a part of that name is there
int doctor_shorten_check(doctor_case *c, const char *folder);

/// Write the stretch as recordings of their own, A.bks and B.bks, into c->shortened. What does not
/// come to the verdict does not stay, nor does a folder that was made for it.
/// @param c       with a verdict; receives the first tick
/// @param folder  as it was checked
/// @return TOOL_OK, also when no part comes to the verdict, which the evidence says; TOOL_STOPPED
int doctor_shorten(doctor_case *c, const char *folder);

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
