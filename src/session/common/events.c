// SPDX-License-Identifier: MIT

#include "session/common/events.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/report.h"

/// Give an event its default text.
static void describe(bks_event *event)
{
    switch (event->kind) {
    case BKS_EVENT_JOINED:
        bksi_event_describe(event, "peer %u has a seat", event->peer);
        break;
    case BKS_EVENT_STARTED:
        bksi_event_describe(event, "the match starts");
        break;
    case BKS_EVENT_RESUMED:
        bksi_event_describe(event, "the input of peer %u is here, the match continues at tick %d",
                            event->peer, (int)event->tick);
        break;
    case BKS_EVENT_BACK:
        bksi_event_describe(event, "peer %u is heard again", event->peer);
        break;
    case BKS_EVENT_LOADING:
        bksi_event_describe(event, event->peer == 0 ? "the host is loading" : "peer %u is loading",
                            event->peer);
        break;
    case BKS_EVENT_STOPPING:
        bksi_event_describe(event, "states differ: the match ends for all at tick %d",
                            (int)event->tick);
        break;
    case BKS_EVENT_ENDED:
        bksi_event_describe(event, "the match has ended after %d tick%s", (int)event->tick,
                            BKSI_PLURAL(event->tick));
        break;
    default:
        bksi_event_describe(event, "peer %u: %s", event->peer, bks_event_kind_name(event->kind));
        break;
    }
}

void bksi_event_describe(bks_event *event, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(event->text, sizeof(event->text), format, values);
    va_end(values);
}

bks_event *bksi_events_raise(session_events *events, bks_event_kind kind, uint32_t peer,
                             bks_tick tick)
{
    if (events->count == EVENTS_MAX) {
        events->first = (events->first + 1) % EVENTS_MAX;
        events->count--;
    }
    bks_event *event = &events->ring[(events->first + events->count) % EVENTS_MAX];
    events->count++;
    events->raised++;
    *event = (bks_event){.kind = kind, .peer = peer, .tick = tick, .found_tick = BKS_TICK_NONE};
    describe(event);
    return event;
}

bks_event *bksi_events_report(session_events *events, bks_event_kind kind, uint32_t peer,
                              bks_tick tick, const char *format, ...)
{
    bks_event *event = bksi_events_raise(events, kind, peer, tick);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(event->text, sizeof(event->text), format, values);
    va_end(values);
    return event;
}

void bksi_events_raise_seated(session_events *events, uint32_t self)
{
    (void)bksi_events_report(events, BKS_EVENT_JOINED, self, BKS_TICK_NONE,
                             "we have a seat, as peer %u", self);
}

void bksi_events_raise_other_roster(session_events *events, uint32_t peer, bks_tick tick)
{
    bks_event *event = bksi_events_report(
        events, BKS_EVENT_REFUSED, peer, tick,
        "the host has sent peer %u another roster than us, or peer %u lies: we do not "
        "play with it",
        peer, peer);
    bksi_log(BKS_LOG_ERROR, "session.roster", "%s", event->text);
}

bool bksi_events_take(session_events *events, bks_event *event)
{
    if (events->count == 0) {
        return false;
    }
    *event = events->ring[events->first];
    events->first = (events->first + 1) % EVENTS_MAX;
    events->count--;
    return true;
}

bool bksi_events_after(const session_events *events, uint64_t *number, bks_event *event)
{
    // An event that the owner has read stays in the ring until a newer event overwrites it.
    uint64_t oldest = events->raised > EVENTS_MAX ? events->raised - EVENTS_MAX : 0;
    *number = *number > oldest ? *number : oldest;
    if (*number >= events->raised) {
        return false;
    }
    *event = events->ring[*number % EVENTS_MAX];
    (*number)++;
    return true;
}

void bksi_repairs_add(session_repairs *repairs, session_events *events, const bks_repair *repair)
{
    repairs->ring[repairs->count % BKS_REPAIRS_MAX] = *repair;
    repairs->count++;
    bks_event *event = bksi_events_raise(events, BKS_EVENT_REPAIRED, repair->peer, repair->tick);
    if (repair->bytes == 0) {
        bksi_event_describe(
            event,
            "peer %u agrees with the others again at tick %d, without a repair; it differed since "
            "tick %d",
            repair->peer, (int)repair->tick, (int)repair->since);
    } else {
        bksi_event_describe(
            event,
            "peer %u, which differed since tick %d, is repaired at tick %d: %" PRIu64
            " bytes from peer %u",
            repair->peer, (int)repair->since, (int)repair->tick, repair->bytes, repair->from);
    }
    bksi_log(BKS_LOG_WARNING, "session.repaired", "%s", event->text);
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
        [BKS_EVENT_WAITING] = "waiting",
        [BKS_EVENT_NARROW] = "narrow",
        [BKS_EVENT_NAMED] = "named",
        [BKS_EVENT_STOPPING] = "stopping",
        [BKS_EVENT_REPAIRED] = "repaired",
        [BKS_EVENT_LOADING] = "loading",
        [BKS_EVENT_SPEED] = "speed",
    };
    return (uint32_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}
