// SPDX-License-Identifier: MIT

/// @file check_log.h
/// Warnings and errors that the library logged in a baseline: in a sound game there are none.

#ifndef BKS_TOOL_CHECK_LOG_H
#define BKS_TOOL_CHECK_LOG_H

#include <stdint.h>

#include "base/child.h"

enum { CHECK_LOG_LINES = 3, CHECK_LOG_BYTES = 240 };

/// Lines of a log. Start from {0}.
typedef struct check_log {
    uint32_t count;                               ///< all of them, those left out as well
    char lines[CHECK_LOG_LINES][CHECK_LOG_BYTES]; ///< the first, each cut to that size
} check_log;

/// Read what a process has written to stderr so far.
/// @param out  receives the lines
void check_log_read(const child *process, check_log *out);

#endif
