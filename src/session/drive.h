// SPDX-License-Identifier: MIT

/// @file drive.h
/// Operations that the owner of the session must carry out next.

#ifndef BKSI_DRIVE_H
#define BKSI_DRIVE_H

#include "backstitch/session.h"

/// Start the match: all players are known.
void bksi_drive_start(bks_session *session);
/// Begin an update: hand the due ticks to the engine.
void bksi_drive_begin(bks_session *session);

#endif
