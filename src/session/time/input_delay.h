// SPDX-License-Identifier: MIT

/// @file input_delay.h
/// Ticks between sampling an input and stepping with it. Only input_delay.c changes
/// session_input_delay; other files use its functions.

#ifndef BKSI_INPUT_DELAY_H
#define BKSI_INPUT_DELAY_H

#include "session/common/common.h"

typedef struct session_input_delay {
    uint32_t now;                       ///< delay in force, in ticks
    uint32_t wanted;                    ///< delay that `now` moves to, one tick at a time
    uint32_t level;                     ///< in rollback: level in the table of lags
    uint32_t since_change;              ///< ticks since the last change
    uint16_t needed[BKS_DELAY_MAX + 1]; ///< by delay: number of ticks of this span that needed it

    // statistics
    double sum;
    uint64_t count;
} session_input_delay;

/// Mean lags over a span.
typedef struct session_lags {
    double local_ns;  ///< our head minus another peer's head as we know it: the lag of its inputs
    double remote_ns; ///< another peer's head minus our head as the peer knows it
} session_lags;

/// Set the configured delay. It holds until the match starts.
void bksi_input_delay_init(session_input_delay *delay, const session_common *common);
/// Move to a newly configured delay, a tick at a time.
void bksi_input_delay_retune(session_input_delay *delay, const session_common *common);
/// Choose the first delay at the start of the match.
/// @param way_ns  half of the longest round trip
void bksi_input_delay_start(session_input_delay *delay, const session_common *common,
                            double way_ns);
/// Begin a new span. Earlier ticks do not count any more.
void bksi_input_delay_begin_span(session_input_delay *delay);
/// Record that a tick's time has come.
/// @param ticks  number of due ticks before it
/// @param least  lowest head of the others
/// @param is_in_span  true if the tick counts for the span
void bksi_input_delay_pass_tick(session_input_delay *delay, const session_common *common,
                                uint32_t ticks, bks_tick least, bool is_in_span);
/// Choose the delay again at the end of a span.
/// @param lags        worst lags to the others
/// @param is_settled  true if the lags are known
void bksi_input_delay_choose(session_input_delay *delay, const session_common *common,
                             const session_lags *lags, bool is_settled);
/// Raise the delay by a tick if that is wanted, while we starve: it costs nothing while no step can
/// be made.
/// @param asked  delay that the budget asks for
/// @return true if the delay was raised
bool bksi_input_delay_starve(session_input_delay *delay, uint32_t asked);
/// Change the delay by a tick if a change is wanted.
/// @param asked  delay that the budget asks for
/// @return change in ticks: +1, -1 or 0
int32_t bksi_input_delay_change(session_input_delay *delay, const session_common *common,
                                uint32_t asked);

/// Count the delay in force for the statistics, after inputs were sampled.
static inline void bksi_input_delay_sampled(session_input_delay *delay)
{
    delay->sum += delay->now;
    delay->count++;
}

#endif
