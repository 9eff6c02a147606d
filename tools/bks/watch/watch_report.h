// SPDX-License-Identifier: MIT

/// @file watch_report.h
/// How watching a recording went, as text or as one JSON object with the keys of `bks lab`.

#ifndef BKS_TOOL_WATCH_REPORT_H
#define BKS_TOOL_WATCH_REPORT_H

#include <stdio.h>

#include "watch/watch.h"

/// Write one JSON object.
/// @return whether all of it was written
bool watch_report_json(const watch_config *config, const watch_result *result, FILE *out);

/// Write a few lines for people.
void watch_report_text(const watch_config *config, const watch_result *result, FILE *out);

#endif
