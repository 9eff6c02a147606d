// SPDX-License-Identifier: MIT

/// @file check_screen.h
/// A check on a terminal: the verdict and the faults first, then what each variant came to.

#ifndef BKS_TOOL_CHECK_SCREEN_H
#define BKS_TOOL_CHECK_SCREEN_H

#include "diagnose/check/check_fault.h"
#include "diagnose/check/check_words.h"

void check_screen_print(const check_report *report);

/// Print one fault.
/// @param repeat  the command that finds it again; NULL: none is shown
void check_screen_fault(const check_fault *fault, const check_words *repeat);

#endif
