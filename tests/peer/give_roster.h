// SPDX-License-Identifier: MIT

/// @file give_roster.h
/// A roster handed to a guest's session as if it came from its host.

#ifndef TESTS_GIVE_ROSTER_H
#define TESTS_GIVE_ROSTER_H

#include "backstitch/session.h"

#include "wire/roster.h"

/// The place of the guest in the roster gets the guest's identity.
/// @return whether the guest took it
bool give_roster(bks_session *guest, bksi_roster_message *roster);

#endif
