// SPDX-License-Identifier: MIT

/// @file silence.h
/// The options --notify-after and --drop-after: how long a peer may be silent.

#ifndef BKS_TOOL_SILENCE_H
#define BKS_TOOL_SILENCE_H

#include <stdint.h>

/// As typed.
typedef struct silence_limits {
    int64_t notify_ms; ///< SILENCE_NOT_GIVEN: the default
    int64_t drop_ms;   ///< SILENCE_NOT_GIVEN: the default
} silence_limits;

enum { SILENCE_NOT_GIVEN = -1 };

/// Both options for a table of `args_option`.
/// @param limits  an lvalue
#define SILENCE_OPTIONS(limits)                                                                    \
    ARGS_INT("--notify-after", "MS", &(limits).notify_ms, 100, 60000,                              \
             "report a peer that is silent for this many milliseconds (default 1000)"),            \
        ARGS_INT("--drop-after", "MS", &(limits).drop_ms, 100, 600000,                             \
                 "drop a peer that is silent for this many milliseconds, at least --notify-after " \
                 "(default 5000)")

/// Set what was given, keep what was not; errors go to stderr.
/// @param notify_after_ms  as in bks_session_config, with its default
/// @param drop_after_ms    as in bks_session_config, with its default
/// @return TOOL_OK, TOOL_MISUSE
int silence_read(const silence_limits *limits, uint32_t *notify_after_ms, uint32_t *drop_after_ms);

#endif
