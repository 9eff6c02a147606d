// SPDX-License-Identifier: MIT

/// @file drive.h
/// What the owner of the game must do next.

#ifndef BKSI_DRIVE_H
#define BKSI_DRIVE_H

#include "backstitch/session.h"

/// The match starts: all players are known.
void bksi_drive_start(bks_session *session);
/// An update begins: hand the engine what is due.
void bksi_drive_begin(bks_session *session);

#endif
