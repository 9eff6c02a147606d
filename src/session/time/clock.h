// SPDX-License-Identifier: MIT

/// @file clock.h
/// Due ticks. Only clock.c changes session_clock; other files use its functions.

#ifndef BKSI_CLOCK_H
#define BKSI_CLOCK_H

#include "session/time/budget.h"
#include "session/time/evenness.h"

/// Maximum number of ticks in one update [Fiedler, Playout Delay Buffer].
#define DUE_TICKS_MAX 4u

/// Pace and budget, which set the rate and the input delay of the ticks.
typedef struct session_tempo {
    session_pace pace;
    session_budget budget;
} session_tempo;

/// Time that we spent waiting for a peer.
typedef struct session_wait {
    uint64_t ticks; ///< ticks starved for the peer's inputs
    uint64_t ns;    ///< time starved for the peer's inputs
} session_wait;

/// Clock of ticks, counted from a base so that no rounding adds up.
typedef struct session_clock {
    uint64_t base_ns;    ///< time at which the first interval of the current count begins
    uint64_t base_index; ///< number of intervals from base_ns to the next tick
    double interval_ns;  ///< current length of a tick
    double slew;         ///< share by which the pace makes ticks longer
    uint32_t stretch;    ///< stretch of ticks for a slow machine, in 1 / BKSI_STRETCH_ONE
    uint64_t stretched;  ///< sum of `stretch` over all ticks
    uint32_t due;        ///< ticks due and not yet stepped in this update
    bool samples_only;   ///< the delay rises by a tick, so the due tick is sampled but not stepped
    bool is_starving;
    /// While we starve: true if a meeting's tick may not be published yet, false if an input is
    /// missing.
    bool is_held_up;
    uint32_t starved_for; ///< peer whose input was missing when starving began
    uint64_t starving_ns; ///< time at which starving began
    uint32_t awaited;     ///< bits: peers whose inputs were awaited at the last update
    uint64_t awaited_ns;  ///< time of the update that set `awaited`
    session_wait waits[BKS_PEERS_MAX];
    bool tick_passed; ///< a tick became due in this update, so packets are due
    uint64_t starved_ticks;
    uint64_t stalled_ticks;
    session_evenness evenness;
} session_clock;

/// Start the clock of ticks.
/// @param start_ns  time at which the first tick is due
void bksi_clock_start(session_clock *clock, session_tempo *tempo, const session_common *common,
                      uint64_t start_ns);
void bksi_clock_update(session_clock *clock, session_tempo *tempo, const session_exchange *exchange,
                       session_events *events, const session_common *common);
/// Count ticks at a new speed, or from the end of a pause on.
/// @param paused_ns  duration of the pause that has ended; 0: there was none
void bksi_clock_change_speed(session_clock *clock, session_tempo *tempo,
                             const session_common *common, uint64_t paused_ns);
/// Get the time at which the next tick is due; UINT64_MAX: none is due any more, or the match is
/// paused. If we starved and the tick can now be stepped, it is
/// the current time.
uint64_t bksi_clock_wake(const session_clock *clock, const session_common *common);
/// Get the time and length of the next tick, even if none follows or we starve.
uint64_t bksi_clock_next(const session_clock *clock, double *out_interval_ns);
/// Begin to starve: no due tick can be stepped, because an input is missing or a meeting's tick may
/// not be published yet.
void bksi_clock_starve(session_clock *clock, session_events *events, const session_common *common);
/// Note that a new tick was stepped.
static inline void bksi_clock_stepped(session_clock *clock, const session_common *common)
{
    bksi_evenness_step(&clock->evenness, common);
}
/// Return true if more ticks are due than an update may step, because our process was frozen.
bool bksi_clock_is_late(const session_clock *clock, const session_common *common);
/// Make ticks longer by `stretch`, in 1 / BKSI_STRETCH_ONE, from now on.
void bksi_clock_stretch(session_clock *clock, const session_common *common, uint32_t stretch);

#endif
