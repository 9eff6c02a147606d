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
/// Whether a packet of now may have waited for us.
bool bksi_sleep_has_waited(session_sleep *sleep, uint64_t now_ns);

#endif
