// SPDX-License-Identifier: MIT

/// @file heard_log.h
/// The newest log line of a test, heard from its setup to its teardown.

#ifndef TEST_HEARD_LOG_H
#define TEST_HEARD_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/catch_log.h"

static catch_log heard_log;

static inline int listen_to_log(void **state)
{
    (void)state;
    catch_log_begin(&heard_log);
    return 0;
}

static inline int stop_listening(void **state)
{
    (void)state;
    bks_log_clear_sink();
    return 0;
}

/// Its id and its text, a space between them, hold this.
static inline void assert_logged(const char *part)
{
    char line[sizeof(heard_log.id) + sizeof(heard_log.text)];
    (void)snprintf(line, sizeof(line), "%s %s", heard_log.id, heard_log.text);
    if (strstr(line, part) == NULL) {
        fail_msg("log line \"%s\" does not say \"%s\"", line, part);
    }
}

#endif
