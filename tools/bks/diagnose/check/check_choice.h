// SPDX-License-Identifier: MIT

/// @file check_choice.h
/// Which variants `--variants` asks for, and the values behind their names: "again,build=old.so".

#ifndef BKS_TOOL_CHECK_CHOICE_H
#define BKS_TOOL_CHECK_CHOICE_H

#include "diagnose/check/check_variants.h"

/// What is asked for.
typedef struct check_choice {
    bool is_chosen[CHECK_VARIANTS_MAX];
    const char *values[CHECK_VARIANTS_MAX]; ///< behind the names, static; NULL: none
} check_choice;

/// Read a list; errors go to stderr.
/// @param list   as typed, NULL: all variants
/// @param ticks  of the check
/// @return TOOL_OK, TOOL_MISUSE
int check_choice_read(const char *list, int64_t ticks, check_choice *out);

#endif
