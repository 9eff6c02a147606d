// SPDX-License-Identifier: MIT

#include "session/events.h"

#include <stdio.h>

#include "base/report.h"
#include "session/session_internal.h"

/// What there is to say of an event by itself; where more is known it is said instead.
static void describe(const bks_session *session, bks_event *event)
{
    char *text = event->text;
    const size_t room = sizeof(event->text);
    switch (event->kind) {
    case BKS_EVENT_JOINED:
        if (event->peer == session->seats.self) {
            (void)snprintf(text, room, "we have a seat, as peer %u", event->peer);
        } else {
            (void)snprintf(text, room, "peer %u has a seat", event->peer);
        }
        break;
    case BKS_EVENT_STARTED:
        (void)snprintf(text, room, "the match starts");
        break;
    case BKS_EVENT_RESUMED:
        (void)snprintf(text, room, "the input of peer %u is here, the match continues at tick %d",
                       event->peer, (int)event->tick);
        break;
    case BKS_EVENT_BACK:
        (void)snprintf(text, room, "peer %u is heard again", event->peer);
        break;
    case BKS_EVENT_ENDED:
        (void)snprintf(text, room, "the match has ended after %d ticks", (int)event->tick);
        break;
    default:
        (void)snprintf(text, room, "peer %u: %s", event->peer, bks_event_kind_name(event->kind));
        break;
    }
}

bks_event *bksi_session_tell(bks_session *session, bks_event_kind kind, uint32_t peer,
                             bks_tick tick)
{
    if (session->events.count == EVENTS_MAX) {
        session->events.first = (session->events.first + 1) % EVENTS_MAX;
        session->events.count--;
    }
    uint32_t place = (session->events.first + session->events.count) % EVENTS_MAX;
    session->events.count++;
    session->events.raised++;
    session->events.kept[place] =
        (bks_event){.kind = kind, .peer = peer, .tick = tick, .found_tick = BKS_TICK_NONE};
    describe(session, &session->events.kept[place]);
    return &session->events.kept[place];
}

const char *bks_event_kind_name(bks_event_kind kind)
{
    static const char *const names[] = {
        [BKS_EVENT_JOINED] = "joined",
        [BKS_EVENT_STARTED] = "started",
        [BKS_EVENT_REFUSED] = "refused",
        [BKS_EVENT_STARVED] = "starved",
        [BKS_EVENT_RESUMED] = "resumed",
        [BKS_EVENT_SILENT] = "silent",
        [BKS_EVENT_BACK] = "back",
        [BKS_EVENT_LOST] = "lost",
        [BKS_EVENT_LEFT] = "left",
        [BKS_EVENT_DESYNC] = "desync",
        [BKS_EVENT_ENDED] = "ended",
        [BKS_EVENT_DROPPED] = "dropped",
        [BKS_EVENT_SLOW] = "slow",
        [BKS_EVENT_KEEPS_UP] = "keeps up",
        [BKS_EVENT_OTHER_BUILD] = "other build",
        [BKS_EVENT_FAILED] = "failed",
    };
    return (uint32_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

bool bks_session_event(bks_session *session, bks_event *event)
{
    if (session == NULL || event == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_event", session == NULL ? "session" : "event");
        return false;
    }
    if (session->events.count == 0) {
        return false;
    }
    *event = session->events.kept[session->events.first];
    session->events.first = (session->events.first + 1) % EVENTS_MAX;
    session->events.count--;
    return true;
}
