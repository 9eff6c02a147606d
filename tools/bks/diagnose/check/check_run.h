// SPDX-License-Identifier: MIT

/// @file check_run.h
/// One variant beside its baseline, both in processes of their own.

#ifndef BKS_TOOL_CHECK_RUN_H
#define BKS_TOOL_CHECK_RUN_H

#include "base/tool.h"
#include "diagnose/processes/variant_process.h"

enum { CHECK_LOG_LINES = 3, CHECK_LOG_BYTES = 240 };

/// Log of a baseline: warnings and errors of the library in it.
typedef struct check_log {
    uint32_t count;                               ///< all of them, those left out as well
    char lines[CHECK_LOG_LINES][CHECK_LOG_BYTES]; ///< the first, each cut to that size
} check_log;

/// What the runs of a command have in common.
typedef struct check_run {
    const check_options *options;
    const char *value; ///< of the variant, behind its name; NULL: none
    progress bar;
    uint64_t done; ///< ticks of variants before this one
    check_log log; ///< of the first baseline that wrote any
    /// What is stepped instead of all ticks from 0 on; receives the hashes. NULL: nothing.
    check_span *span;
    const uint8_t *state; ///< that it begins with, span->state_bytes of them
    /// Looks at the tape before it is closed. NULL: nothing does.
    void (*ended)(void *context, check_tape *tape);
    void *context; ///< handed to ended
} check_run;

/// Run a variant once.
/// @param request  what is watched; {0}: nothing
/// @return TOOL_OK, also when it differs; TOOL_STOPPED; TOOL_MISUSE, TOOL_DAMAGED: stderr says why
int check_run_once(check_run *run, const check_variant *variant, const check_request *request,
                   check_result *out);

/// The same, and once more for the line of source where it differs.
int check_run_variant(check_run *run, const check_variant *variant, check_result *out);

/// Be one of the two processes.
/// @return the exit status
int check_run_process(const check_task *task);

#endif
