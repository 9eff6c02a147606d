// SPDX-License-Identifier: MIT

/// @file doctor_print.h
/// What `bks doctor` prints.

#ifndef BKS_TOOL_DOCTOR_PRINT_H
#define BKS_TOOL_DOCTOR_PRINT_H

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

#endif
