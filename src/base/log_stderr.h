// SPDX-License-Identifier: MIT

/// @file log_stderr.h
/// Default destination of log lines until bks_log_set_sink(): warnings and errors on stderr.

#ifndef BKSI_LOG_STDERR_H
#define BKSI_LOG_STDERR_H

#include "backstitch/base.h"

/// Write a line, as the `write` of a bks_log_sink. Each id prints ten lines at once, then one a
/// minute with the number of lines left out.
void bksi_log_stderr(void *context, bks_log_level level, const char *id, const char *text);

#endif
