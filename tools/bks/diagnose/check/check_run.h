// SPDX-License-Identifier: MIT

/// @file check_run.h Runs of a variant beside its baseline, each in its own process.

#ifndef BKS_TOOL_CHECK_RUN_H
#define BKS_TOOL_CHECK_RUN_H

#include "base/tool.h"
#include "diagnose/processes/variant_process.h"

enum { CHECK_LOG_LINES = 3, CHECK_LOG_BYTES = 240 };

/// Warnings and errors that a baseline logged.
typedef struct check_log {
    uint32_t count; ///< number of lines, including lines that the library left out
    /// The first lines that were logged, each cut if too long.
    char lines[CHECK_LOG_LINES][CHECK_LOG_BYTES];
} check_log;

/// Settings and progress of all runs of a command.
typedef struct check_run {
    const check_options *options;
    const char *value; ///< value that the variant gets, NULL: none
    progress bar;
    uint64_t done; ///< ticks stepped for earlier variants, for the progress bar
    check_log log; ///< log of the first baseline that logged anything
    /// Ticks to step; receives the hashes of both processes. NULL: step the ticks that `options`
    /// names.
    check_span *span;
    bool is_serial;       ///< true: both processes run their threads one after another
    uint32_t threads;     ///< most threads that the game made in a baseline so far
    const uint8_t *state; ///< state at tick span->first, with span->state_bytes bytes
    /// Function that gets the tape of each run before the tape is closed; may be NULL.
    void (*ended)(void *context, check_tape *tape);
    void *context; ///< context argument of the function `ended`
} check_run;

/// Run a variant once.
/// @param request  bytes of the state or the inputs to watch; {0}: none
/// @return TOOL_OK, whether or not the variant differs; TOOL_STOPPED; TOOL_MISUSE or TOOL_DAMAGED
///         with an error on stderr
int check_run_once(check_run *run, const check_variant *variant, const check_request *request,
                   check_result *out);

/// Run a variant. If it differs from the baseline, run it again to find the source line that wrote
/// the difference.
int check_run_variant(check_run *run, const check_variant *variant, check_result *out);

/// Run as the baseline or the variant, in a process that was started for it.
/// @return the exit status
int check_run_process(const check_task *task);

#endif
