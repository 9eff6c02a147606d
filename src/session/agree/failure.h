// SPDX-License-Identifier: MIT

/// @file failure.h
/// Operations that the owner could not carry out. Only failure.c changes session_failure; other
/// files use its functions.

#ifndef BKSI_FAILURE_H
#define BKSI_FAILURE_H

#include "session/common/common.h"

/// Bytes of the reason of a failure; it must fit an event's text together with the words around it.
#define PROBLEM_BYTES 96

/// Operation that failed.
typedef struct session_failure {
    bks_tick tick; ///< tick of the operation
    bool is_final; ///< the match ended because of the failure
    char problem[PROBLEM_BYTES];
} session_failure;

/// Record that the owner could not carry out an operation.
void bksi_failure_of(session_failure *failure, session_common *common, const bks_op *op,
                     const char *problem);
/// End the match if the newest certain state comes from a failed operation. Call it after ticks
/// have been settled.
void bksi_failure_settle(session_failure *failure, session_common *common);

#endif
