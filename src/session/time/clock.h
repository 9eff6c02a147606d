// SPDX-License-Identifier: MIT

/// @file clock.h
/// Which ticks are due. clock.c alone writes this; others ask.

#ifndef BKSI_CLOCK_H
#define BKSI_CLOCK_H

#include "session/time/budget.h"

/// Never more ticks than this in one update [Fiedler, Playout Delay Buffer].
#define DUE_TICKS_MAX 4u

/// How fast ticks are to go, and with how much delay: what the clock stands on.
typedef struct session_tempo {
    session_pace pace;
    session_budget budget;
} session_tempo;

/// How often a peer made us wait.
typedef struct session_wait {
    uint64_t ticks; ///< starved, its inputs missing
    uint64_t ns;    ///< how long they were
} session_wait;

/// Ticks are counted from a base so that no rounding adds up.
typedef struct session_clock {
    uint64_t base_ns;    ///< time of tick number 0 of this count
    uint64_t base_index; ///< ticks due since base_ns
    double interval_ns;  ///< length of a tick now
    double slew;         ///< longer by this share, as the pace wants it
    uint32_t stretch;    ///< and by this, in 1 / BKSI_STRETCH_ONE, for a slow machine
    uint64_t stretched;  ///< summed over all ticks
    uint32_t due;        ///< due and not yet stepped, this update
    bool samples_only;   ///< the due tick raises the delay: a sample without a step
    bool is_starving;
    bool is_held_up;      ///< not for inputs, but since a meeting holds a tick back
    uint32_t starved_for; ///< the peer whose input was missing when it began
    uint64_t starving_ns; ///< since then
    uint32_t awaited;     ///< bits: for whose inputs, at the last update
    uint64_t awaited_ns;  ///< when that was
    session_wait waits[BKS_PEERS_MAX];
    bool tick_passed; ///< a tick's time came in this update: packets are due
    uint64_t starved_ticks;
    uint64_t stalled_ticks;
} session_clock;

/// @param start_ns  when the first tick is due
void bksi_clock_start(session_clock *clock, session_tempo *tempo, const session_common *common,
                      uint64_t start_ns);
void bksi_clock_update(session_clock *clock, session_tempo *tempo, const session_exchange *exchange,
                       session_events *events, const session_common *common);
/// When the next tick is due, or now when we starve no more.
uint64_t bksi_clock_wake(const session_clock *clock, const session_common *common);
/// The same, also when no tick follows or we starve, and how long ticks are now.
uint64_t bksi_clock_next(const session_clock *clock, double *out_interval_ns);
/// A due tick cannot be stepped: none is, until a peer's input is here.
void bksi_clock_starve(session_clock *clock, session_events *events, const session_common *common);
/// Whether more ticks are due than an update may step: we stood still.
bool bksi_clock_is_late(const session_clock *clock, const session_common *common);
/// Ticks are longer by `stretch`, in 1 / BKSI_STRETCH_ONE, from now on.
void bksi_clock_stretch(session_clock *clock, const session_common *common, uint32_t stretch);

#endif
