// SPDX-License-Identifier: MIT

/// @file events.h
/// Events and the input delay for those beside the user who look on, such as a recorder.

#ifndef BKSI_EVENTS_H
#define BKSI_EVENTS_H

#include "backstitch/session.h"

/// Look at one event after the other, whether it was taken by bks_session_event() or not.
/// @param number  of events seen so far, 0 at first; advanced. Skips what is long gone
/// @return false when there is no newer one
bool bksi_session_event_after(const bks_session *session, uint64_t *number, bks_event *event);

/// Ticks between sampling an input and simulating it now.
uint32_t bksi_session_delay(const bks_session *session);

/// Peers that the match began with, numbered from 0.
uint32_t bksi_session_peer_count(const bks_session *session);

#endif
