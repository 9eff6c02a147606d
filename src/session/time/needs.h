// SPDX-License-Identifier: MIT

/// @file needs.h
/// Delays that the ticks of a lockstep match needed, and the delay with which hardly any would be
/// late. Only needs.c changes session_needs; other files use its functions.

#ifndef BKSI_NEEDS_H
#define BKSI_NEEDS_H

#include "session/common/common.h"

/// Counts of ticks, one for each delay that a tick may need. While needs rise from tick to tick,
/// only the last tick counts: the ticks before it would be late in the same wait.
typedef struct session_needs_count {
    uint32_t all; ///< number of all ticks, even of those that do not count in `ticks`
    uint16_t ticks[BKS_DELAY_MAX + 1];
} session_needs_count;

typedef struct session_needs {
    bool has_newest;
    uint32_t newest;             ///< need of the newest tick, which is not in `span` yet
    session_needs_count span;    ///< needs of the current span, which may turn out not to count
    session_needs_count spell;   ///< needs of the spans that count in the current spell
    session_needs_count earlier; ///< needs of the previous spell
} session_needs;

/// Model of the lines on which the other peers' inputs arrive. Each line is assumed to lose as many
/// packets as the worst one.
typedef struct session_needs_model {
    uint32_t lines; ///< number of lines, at least 1
    double growth;  ///< see bksi_needs_growth()
} session_needs_model;

/// Get the share of the ticks needing a delay of n or more on a line that need n + 1 or more,
/// because packets are lost. It is the same for every n.
/// @param received  number of packets that arrived on the line
/// @param lost      number of packets that the line lost, without those of silences
/// @param gap_ns    mean gap between the packets that arrived; 0: not known
double bksi_needs_growth(uint64_t received, uint64_t lost, double gap_ns, double tick_ns);
/// Count the delay that a tick needed, for the current span.
void bksi_needs_count(session_needs *needs, uint32_t ticks);
/// Forget the needs that were counted in the current span, for example because not the lines but a
/// slow machine or a freeze delayed inputs.
void bksi_needs_drop_span(session_needs *needs);
/// Forget all needs, because a disturbance makes them useless as a forecast (disturbance.h).
void bksi_needs_forget(session_needs *needs);
/// Keep the needs of the current span, and begin a new one. Needs are forgotten after one to two
/// spells.
void bksi_needs_keep_span(session_needs *needs, uint32_t spell_ticks);
/// Return true if at least `ticks` ticks are counted in complete spans.
bool bksi_needs_know(const session_needs *needs, uint32_t ticks);
/// Get the number of ticks that are counted.
uint32_t bksi_needs_all(const session_needs *needs);
/// Get the greatest delay that a counted tick needed.
uint32_t bksi_needs_most(const session_needs *needs);
/// Get the least delay with which at most `late` ticks are expected to be late, of as many ticks as
/// are counted.
uint32_t bksi_needs_least(const session_needs *needs, double late,
                          const session_needs_model *model);

#endif
