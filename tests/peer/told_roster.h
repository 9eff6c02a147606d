// SPDX-License-Identifier: MIT

/// @file told_roster.h
/// A roster handed to a guest's session as if its host had said it.

#ifndef TESTS_TOLD_ROSTER_H
#define TESTS_TOLD_ROSTER_H

#include "backstitch/session.h"

#include "wire/roster.h"

/// The place of the guest in the roster gets the guest's identity.
/// @return whether the guest took it
bool told_roster(bks_session *guest, bksi_roster_message *roster);

#endif
