// SPDX-License-Identifier: MIT

#include "session/lobby/lobby_clock.h"

#include "session/common/common.h"

/// Smallest delay of an update that counts as a freeze of our process, from the time at which we
/// asked our owner for the update.
#define FREEZE_NS (100 * NS_PER_MS)

/// Time after a freeze in which arriving packets may have waited for us.
#define WAITED_NS (20 * NS_PER_MS)

/// Shortest time between two delays that count as freezes: a process whose loop is always late is
/// not frozen.
#define WAKE_GAP_NS NS_PER_SECOND

/// Keep the reading with the shortest round trip, because its message waited least.
bool bksi_host_clock_read(session_host_clock *clock, uint32_t now_us, uint32_t stamp_us,
                          int32_t trip_us)
{
    if (clock->is_read && trip_us >= clock->trip_us) {
        return false;
    }
    clock->is_read = true;
    clock->trip_us = trip_us;
    clock->ahead_us = stamp_us + (uint32_t)trip_us / 2 - now_us;
    return true;
}

void bksi_host_clock_start(session_host_clock *clock, uint32_t start_us)
{
    clock->has_start = true;
    clock->start_us = start_us;
}

bool bksi_host_clock_left(const session_host_clock *clock, uint32_t now_us, int64_t *left_ns)
{
    if (!clock->is_read || !clock->has_start) {
        return false;
    }
    int32_t left_us = (int32_t)(clock->start_us - clock->ahead_us - now_us);
    *left_ns = left_us * INT64_C(1000);
    return left_us <= TRIP_US_MAX && left_us >= -TRIP_US_MAX;
}

void bksi_host_clock_begin(session_host_clock *clock, uint64_t begin_ns)
{
    clock->begin_ns = begin_ns;
}

void bksi_host_clock_settle(session_host_clock *clock, uint64_t now_ns)
{
    int64_t left_ns = 0;
    if (!bksi_host_clock_left(clock, (uint32_t)(now_ns / 1000), &left_ns)) {
        return;
    }
    bool is_past = left_ns < 0 && (uint64_t)-left_ns > now_ns;
    clock->begin_ns = is_past ? 0 : now_ns + (uint64_t)left_ns;
}

void bksi_freeze_ask(session_freeze *freeze, uint64_t at_ns)
{
    freeze->asked_ns = at_ns;
}

bool bksi_freeze_note(session_freeze *freeze, uint64_t now_ns)
{
    const bool is_late =
        freeze->asked_ns > 0 && now_ns > freeze->asked_ns && now_ns - freeze->asked_ns >= FREEZE_NS;
    if (is_late && (freeze->woke_ns == 0 || now_ns - freeze->woke_ns >= WAKE_GAP_NS)) {
        freeze->woke_ns = now_ns;
    }
    return freeze->woke_ns > 0 && now_ns - freeze->woke_ns < WAITED_NS;
}
