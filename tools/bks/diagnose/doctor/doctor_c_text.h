// SPDX-License-Identifier: MIT

/// @file doctor_c_text.h
/// The source of a C test that shows a fault.

#ifndef BKS_TOOL_DOCTOR_C_TEXT_H
#define BKS_TOOL_DOCTOR_C_TEXT_H

#include <stdio.h>

#include "backstitch/base.h"

/// What the second of its processes does otherwise.
typedef enum doctor_c_text_kind {
    DOCTOR_C_TEXT_ROLLBACKS, ///< takes the recorded rollbacks
    DOCTOR_C_TEXT_BUILD,     ///< loads another build
    DOCTOR_C_TEXT_WORLD,     ///< lives in another folder, home, locale and time zone
    DOCTOR_C_TEXT_CPU,       ///< has the C library's mathematics for a lesser processor
} doctor_c_text_kind;

/// What the source says. Texts are not NULL, and may hold any bytes.
typedef struct doctor_c_text {
    doctor_c_text_kind kind;
    const char *game;
    const char *plugin; ///< its file
    const char *other;  ///< file of the other build; NULL: none
    const char *cause;
    const char *place; ///< what differs
    const char *mark;
    bks_tick tick;
    bks_tick hash_tick;    ///< the first tick whose hashes differ
    const char *command;   ///< that builds and runs it
    const char *recording; ///< a file
} doctor_c_text;

/// Write the source.
void doctor_c_text_write(FILE *out, const doctor_c_text *text);

#endif
