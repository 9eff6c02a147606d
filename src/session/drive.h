// SPDX-License-Identifier: MIT

/// @file drive.h
/// What the owner of the game must do next, and what it could not. failure.c alone writes
/// `session_failure`.

#ifndef BKSI_DRIVE_H
#define BKSI_DRIVE_H

#include "backstitch/session.h"

/// Room for why an operation failed, so that the sentence around it fits an event's text.
#define PROBLEM_BYTES 96

/// An operation that failed.
typedef struct session_failure {
    bks_tick tick; ///< of the operation
    bool is_final; ///< the match ended of it
    char problem[PROBLEM_BYTES];
} session_failure;

/// The match starts: all is known of who plays.
void bksi_drive_start(bks_session *session);
/// An update begins: hand the engine what is due.
void bksi_drive_begin(bks_session *session);

/// The owner could not carry out an operation.
void bksi_failure_of(bks_session *session, const bks_op *op, const char *problem);
/// Once what is certain is settled: ends the match when the newest state that is certain came of
/// what failed.
void bksi_failure_settle(bks_session *session);

#endif
