// SPDX-License-Identifier: MIT

#include "session/lobby/sleep.h"

#include "session/common/common.h"

/// Called so much later than we asked to be, we stood still.
#define SLEPT_NS (100 * NS_PER_MS)

/// What comes for so long after that has waited for us.
#define WAKE_NS (20 * NS_PER_MS)

/// An owner whose loop is always late does not stand still: it wakes no more often than this.
#define WAKE_GAP_NS NS_PER_SECOND

void bksi_sleep_until(session_sleep *sleep, uint64_t at_ns)
{
    sleep->asked_ns = at_ns;
}

bool bksi_sleep_look(session_sleep *sleep, uint64_t now_ns)
{
    const bool is_late =
        sleep->asked_ns > 0 && now_ns > sleep->asked_ns && now_ns - sleep->asked_ns >= SLEPT_NS;
    if (is_late && (sleep->woke_ns == 0 || now_ns - sleep->woke_ns >= WAKE_GAP_NS)) {
        sleep->woke_ns = now_ns;
    }
    return sleep->woke_ns > 0 && now_ns - sleep->woke_ns < WAKE_NS;
}
