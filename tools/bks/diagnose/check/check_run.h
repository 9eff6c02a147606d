// SPDX-License-Identifier: MIT

/// @file check_run.h
/// Runs of a variant beside its baseline, each in a process of its own.

#ifndef BKS_TOOL_CHECK_RUN_H
#define BKS_TOOL_CHECK_RUN_H

#include "base/tool.h"
#include "diagnose/processes/variant_process.h"

enum { CHECK_LOG_LINES = 3, CHECK_LOG_BYTES = 240 };

/// Warnings and errors that a baseline logged.
typedef struct check_log {
    uint32_t count; ///< number of lines, including lines that the library left out
    char lines[CHECK_LOG_LINES][CHECK_LOG_BYTES]; ///< the first lines, each cut if it is longer
} check_log;

/// Settings and progress of the runs of a command.
typedef struct check_run {
    const check_options *options;
    const char *value; ///< value of the variant, NULL: none
    progress bar;
    uint64_t done; ///< ticks of earlier variants, for the bar
    check_log log; ///< log of the first baseline that wrote any
    /// Span of ticks to step, which receives the hashes; NULL: step the ticks of the options.
    check_span *span;
    const uint8_t *state; ///< state that the span begins with, span->state_bytes bytes
    /// Called with the tape before it is closed; may be NULL.
    void (*ended)(void *context, check_tape *tape);
    void *context; ///< argument of `ended`
} check_run;

/// Run a variant once.
/// @param request  bytes to watch; {0}: none
/// @return TOOL_OK, also when it differs; TOOL_STOPPED; TOOL_MISUSE, TOOL_DAMAGED: stderr says why
int check_run_once(check_run *run, const check_variant *variant, const check_request *request,
                   check_result *out);

/// Run a variant, and once more for the line of source if it differs.
int check_run_variant(check_run *run, const check_variant *variant, check_result *out);

/// Run as the process of a task.
/// @return the exit status
int check_run_process(const check_task *task);

#endif
