// SPDX-License-Identifier: MIT

/// @file sleep.h
/// Whether we stood still before the start: what came meanwhile has waited for us, for an unknown
/// time. sleep.c alone writes this; others ask.

#ifndef BKSI_SLEEP_H
#define BKSI_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct session_sleep {
    uint64_t asked_ns; ///< when we were to be called again; 0: whenever
    uint64_t woke_ns;  ///< until when we last stood still; 0: we never did
} session_sleep;

/// We are to be called again by then.
void bksi_sleep_until(session_sleep *sleep, uint64_t at_ns);
/// Look whether we stood still.
/// @return whether a packet of now may have waited for us
bool bksi_sleep_look(session_sleep *sleep, uint64_t now_ns);

/// The same, for each packet of a match.
static inline bool bksi_sleep_has_waited(session_sleep *sleep, uint64_t now_ns)
{
    return (sleep->asked_ns | sleep->woke_ns) != 0 && bksi_sleep_look(sleep, now_ns);
}

#endif
