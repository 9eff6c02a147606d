// SPDX-License-Identifier: MIT

/// @file input_delay.h
/// Ticks between sampling an input and stepping with it. Only input_delay.c changes
/// session_input_delay; other files use its functions.

#ifndef BKSI_INPUT_DELAY_H
#define BKSI_INPUT_DELAY_H

#include "session/time/needs.h"

typedef struct session_input_delay {
    uint32_t now;          ///< delay in force, in ticks
    uint32_t wanted;       ///< delay that `now` moves to, one tick at a time
    uint32_t level;        ///< in rollback: level in the table of lags
    uint32_t since_change; ///< ticks since the last change
    uint32_t need;         ///< in lockstep: delay that the newest tick needed
    session_needs needs;   ///< in lockstep: delays that ticks needed
    bool is_disturbed;     ///< in lockstep: `wanted` may come from a disturbance
    uint32_t undisturbed;  ///< wanted delay before the newest disturbances, without detours
    uint32_t earlier;      ///< wanted delay at the end of the last span
    uint32_t calm_ticks;   ///< ticks since the last disturbance

    // for the statistics: delays in force when inputs were sampled
    uint32_t most;
    double sum;
    uint64_t count;
} session_input_delay;

/// Mean lags over a span.
typedef struct session_lags {
    double local_ns;  ///< our head minus another peer's head as we know it: the lag of its inputs
    double remote_ns; ///< another peer's head minus our head as the peer knows it
} session_lags;

/// Return true if the delay is chosen by the needs of ticks: in lockstep with automatic delay.
bool bksi_input_delay_follows_needs(const session_common *common);
/// Set the configured delay. It holds until the match starts.
void bksi_input_delay_init(session_input_delay *delay, const session_common *common);
/// Move to a newly configured delay, a tick at a time.
void bksi_input_delay_retune(session_input_delay *delay, const session_common *common);
/// Choose the first delay at the start of the match.
/// @param way_ns  half of the longest round trip, in ns
void bksi_input_delay_start(session_input_delay *delay, const session_common *common, double way_ns,
                            const session_needs_model *model);
/// Note that a tick's time has come.
/// @param need      delay, in ticks, with which the tick could be stepped now
/// @param is_lines  true if only the lines delay the inputs, so that `need` is counted
void bksi_input_delay_pass_tick(session_input_delay *delay, uint32_t need, bool is_lines);
/// Choose the delay again at the end of a span.
/// @param lags        longest mean lags to any other peer
/// @param is_settled  true if the lags have been measured long enough
void bksi_input_delay_end_span(session_input_delay *delay, const session_common *common,
                               const session_lags *lags, bool is_settled,
                               const session_needs_model *model);
/// Note a disturbance (disturbance.h), and forget the needs of earlier ticks. Once the needs of a
/// second are known, the wanted delay is lowered to what these demand, but not below the delay
/// before the disturbance.
void bksi_input_delay_disturb(session_input_delay *delay);
/// Note that our lead over each peer is known again after a disturbance. Forget the needs of the
/// ticks before, from which the lead could not be subtracted (line_needs.h).
static inline void bksi_input_delay_know_lead(session_input_delay *delay)
{
    if (delay->is_disturbed) {
        bksi_needs_forget(&delay->needs);
    }
}
/// Want a delay as long in time as before, because the duration of ticks has changed. In lockstep
/// this is a disturbance, too: the needs of earlier ticks were counted in ticks of another
/// duration.
/// @param ratio  earlier duration of a tick divided by the present one
void bksi_input_delay_scale(session_input_delay *delay, const session_common *common, double ratio);
/// At the end of a span, mark the delay to which a disturbance lets the delay fall: the one at the
/// end of the span before, because a disturbance raises the delay before it is noticed.
static inline void bksi_input_delay_mark(session_input_delay *delay)
{
    delay->undisturbed = delay->is_disturbed ? delay->undisturbed : delay->earlier;
}
/// In lockstep choose the delay again after a wait, within a span.
void bksi_input_delay_resume(session_input_delay *delay, const session_common *common,
                             const session_needs_model *model);
/// While we starve, raise the delay by a tick if that is wanted: it costs nothing while no step can
/// be made.
/// @param asked  delay that the budget asks for, or that is lent during the wait
/// @return true if the delay was raised
bool bksi_input_delay_starve(session_input_delay *delay, uint32_t asked);
/// Change the delay by a tick if a change is wanted.
/// @param asked     delay that the budget asks for
/// @param is_ahead  true if we are ahead of the others and may sample a tick less
/// @return change in ticks: +1, -1 or 0
int32_t bksi_input_delay_change(session_input_delay *delay, const session_common *common,
                                uint32_t asked, bool is_ahead);

/// Forget the needs that were counted in the current span, for example because not the lines but a
/// slow machine or a freeze delayed inputs.
static inline void bksi_input_delay_drop_span(session_input_delay *delay)
{
    bksi_needs_drop_span(&delay->needs);
}

/// End a delay that was lent during a wait: return to the wanted delay.
static inline void bksi_input_delay_give_back(session_input_delay *delay)
{
    delay->now = delay->now < delay->wanted || bksi_mutated(BKSI_MUTANT_SILENCE) ? delay->now
                                                                                 : delay->wanted;
}

/// Count the delay in force for the statistics, after inputs were sampled.
static inline void bksi_input_delay_sampled(session_input_delay *delay)
{
    delay->most = delay->now > delay->most ? delay->now : delay->most;
    delay->sum += delay->now;
    delay->count++;
}

#endif
