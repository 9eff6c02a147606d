// SPDX-License-Identifier: MIT

/// @file check_report.h Reports of a check. The report for a terminal has the verdict and the
/// faults first, then each variant; the other report is JSON.

#ifndef BKS_TOOL_CHECK_REPORT_H
#define BKS_TOOL_CHECK_REPORT_H

#include "diagnose/check/check_fault.h"

/// Return true if no variant of the report differs from its baseline.
bool check_report_is_deterministic(const check_report *report);

/// Write the report as JSON to stdout.
/// @return false if the report was not written completely
bool check_report_json(const check_report *report);

/// Print the report on stdout.
void check_report_print(const check_report *report);

/// Print one fault.
/// @param repeat  command that finds the fault again; NULL: print no command
void check_report_fault(const check_fault *fault, const check_arguments *repeat);

#endif
