// SPDX-License-Identifier: MIT

/// @file check_report.h
/// What a check says.

#ifndef BKS_TOOL_CHECK_REPORT_H
#define BKS_TOOL_CHECK_REPORT_H

#include "diagnose/check/check_fault.h"

/// Whether no variant differs.
bool check_report_is_deterministic(const check_report *report);

/// Whether any variant perturbed something or differs.
bool check_report_is_exercised(const check_report *report);

/// Whether the state holds raw pointers that the game does not declare.
bool check_report_has_pointers(const check_report *report);

/// Write it as JSON to stdout.
/// @return whether all of it was written
bool check_report_json(const check_report *report);

#endif
