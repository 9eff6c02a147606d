// SPDX-License-Identifier: MIT

/// @file catch_log.h
/// Catches log lines, so that a test can say what was logged.

#ifndef TEST_CATCH_LOG_H
#define TEST_CATCH_LOG_H

#include <stdio.h>
#include <string.h>

#include "backstitch/base.h"

typedef struct catch_log {
    uint32_t count; ///< lines since catch_log_begin()
    bks_log_level level;
    char id[64];    ///< of the newest line
    char text[256]; ///< the newest line
} catch_log;

static inline void catch_log_write(void *context, bks_log_level level, const char *id,
                                   const char *text)
{
    catch_log *log = context;
    log->count++;
    log->level = level;
    (void)snprintf(log->id, sizeof(log->id), "%s", id);
    (void)snprintf(log->text, sizeof(log->text), "%s", text);
}

/// Catch from now on, until bks_log_clear_sink().
static inline void catch_log_begin(catch_log *log)
{
    memset(log, 0, sizeof(*log));
    const bks_log_sink sink = {.write = catch_log_write, .context = log};
    (void)bks_log_set_sink(&sink);
}

#endif
