// SPDX-License-Identifier: MIT

/// @file log_stderr.h
/// Prints warnings and errors to stderr: where log lines go until bks_log_set_sink().

#ifndef BKSI_LOG_STDERR_H
#define BKSI_LOG_STDERR_H

#include "backstitch/base.h"

/// The `write` of a bks_log_sink. Of one id ten lines at once, then one a minute that says how many
/// were left out.
void bksi_log_stderr(void *context, bks_log_level level, const char *id, const char *text);

#endif
