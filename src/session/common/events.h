// SPDX-License-Identifier: MIT

/// @file events.h
/// Events for the owner of the session, and the log of repairs. Only events.c changes
/// session_events and session_repairs; other files use its functions.

#ifndef BKSI_EVENTS_H
#define BKSI_EVENTS_H

#include "backstitch/session.h"

#define EVENTS_MAX 64u

typedef struct session_events {
    bks_event ring[EVENTS_MAX]; ///< newest events, by number modulo EVENTS_MAX
    uint32_t first;
    uint32_t count;
    uint64_t raised; ///< number of events since the session began
} session_events;

/// Report an event with the default text of its kind.
/// @return the event, for a caller that sets further fields
bks_event *bksi_events_raise(session_events *events, bks_event_kind kind, uint32_t peer,
                             bks_tick tick);
/// Report an event with a text of its own.
/// @return the event, for a caller that sets further fields
BKS_PRINTF(5, 6)
bks_event *bksi_events_report(session_events *events, bks_event_kind kind, uint32_t peer,
                              bks_tick tick, const char *format, ...);
/// Replace the text of an event.
BKS_PRINTF(2, 3) void bksi_event_describe(bks_event *event, const char *format, ...);
/// Report that we have a seat, and our number.
void bksi_events_raise_seated(session_events *events, uint32_t self);
/// Report that a guest has another roster than ours, so we do not play with it.
void bksi_events_raise_other_roster(session_events *events, uint32_t peer, bks_tick tick);
/// Get the oldest event that the owner has not read yet, and mark it as read.
bool bksi_events_take(session_events *events, bks_event *event);
/// Get the oldest event that is still in the ring and whose number is at least `number`, even if
/// the owner has read it.
/// @param number  smallest number that is wanted; receives the number after the event
/// @return false if there is no such event
bool bksi_events_after(const session_events *events, uint64_t *number, bks_event *event);

typedef struct session_repairs {
    bks_repair ring[BKS_REPAIRS_MAX]; ///< newest repairs, by number modulo BKS_REPAIRS_MAX
    uint64_t count;                   ///< number of repairs since the match began
} session_repairs;

/// Log a repair and report it as an event.
void bksi_repairs_add(session_repairs *repairs, session_events *events, const bks_repair *repair);

#endif
