// SPDX-License-Identifier: MIT

/// @file failure.h
/// What the owner of the game could not do. failure.c alone writes this; others ask.

#ifndef BKSI_FAILURE_H
#define BKSI_FAILURE_H

#include "session/common/common.h"

/// Room for why an operation failed, so that the sentence around it fits an event's text.
#define PROBLEM_BYTES 96

/// An operation that failed.
typedef struct session_failure {
    bks_tick tick; ///< of the operation
    bool is_final; ///< the match ended of it
    char problem[PROBLEM_BYTES];
} session_failure;

/// The owner could not carry out an operation.
void bksi_failure_of(session_failure *failure, session_common *common, const bks_op *op,
                     const char *problem);
/// Once what is certain is settled: ends the match when the newest state that is certain came of
/// what failed.
void bksi_failure_settle(session_failure *failure, session_common *common);

#endif
