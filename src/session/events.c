// SPDX-License-Identifier: MIT

#include "session/events.h"

#include "base/report.h"
#include "session/session_internal.h"

bks_event *bksi_session_tell(bks_session *session, bks_event_kind kind, uint32_t peer,
                             bks_tick tick)
{
    if (session->event_count == EVENTS_MAX) {
        session->event_first = (session->event_first + 1) % EVENTS_MAX;
        session->event_count--;
    }
    uint32_t place = (session->event_first + session->event_count) % EVENTS_MAX;
    session->event_count++;
    session->events_told++;
    session->events[place] =
        (bks_event){.kind = kind, .peer = peer, .tick = tick, .found_tick = BKS_TICK_NONE};
    return &session->events[place];
}

bool bks_session_event(bks_session *session, bks_event *event)
{
    if (session == NULL || event == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_event", session == NULL ? "session" : "event");
        return false;
    }
    if (session->event_count == 0)
        return false;
    *event = session->events[session->event_first];
    session->event_first = (session->event_first + 1) % EVENTS_MAX;
    session->event_count--;
    return true;
}

bool bksi_session_event_after(const bks_session *session, uint64_t *number, bks_event *event)
{
    // What was taken stays in its place until another one needs it.
    uint64_t oldest = session->events_told > EVENTS_MAX ? session->events_told - EVENTS_MAX : 0;
    *number = *number > oldest ? *number : oldest;
    if (*number >= session->events_told)
        return false;
    *event = session->events[*number % EVENTS_MAX];
    (*number)++;
    return true;
}

uint32_t bksi_session_delay(const bks_session *session)
{
    return session->delay;
}

uint32_t bksi_session_peer_count(const bks_session *session)
{
    return session->peer_count;
}
