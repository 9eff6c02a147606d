// SPDX-License-Identifier: MIT

#include "session/common/repairs.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/report.h"

void bksi_repairs_add(session_repairs *repairs, session_events *events, const bks_repair *repair)
{
    repairs->kept[repairs->count % BKS_REPAIRS_MAX] = *repair;
    repairs->count++;
    bks_event *event = bksi_events_raise(events, BKS_EVENT_REPAIRED, repair->peer, repair->tick);
    if (repair->bytes == 0) {
        (void)snprintf(event->text, sizeof(event->text),
                       "the state of peer %u, another since tick %d, is that of the others again "
                       "at tick %d by itself",
                       repair->peer, (int)repair->since, (int)repair->tick);
    } else {
        (void)snprintf(event->text, sizeof(event->text),
                       "the state of peer %u, another since tick %d, is repaired at tick %d: "
                       "%" PRIu64 " bytes, as peer %u has them",
                       repair->peer, (int)repair->since, (int)repair->tick, repair->bytes,
                       repair->from);
    }
    bksi_log(BKS_LOG_WARNING, "session.repaired", "%s", event->text);
}
