// SPDX-License-Identifier: MIT

/// @file needs.h
/// Delays that the ticks of a lockstep match needed, and the delay with which hardly any would be
/// late. needs.c alone writes this; others ask.

#ifndef BKSI_NEEDS_H
#define BKSI_NEEDS_H

#include "session/common/common.h"

/// Ticks by the delay that they needed. While needs rise from tick to tick, only the last one
/// counts: the ticks before it would be late in the same wait.
typedef struct session_needs_count {
    uint32_t all; ///< all ticks, those of rises, too
    uint16_t ticks[BKS_DELAY_MAX + 1];
} session_needs_count;

typedef struct session_needs {
    bool has_newest;
    uint32_t newest;             ///< need of the newest tick, which is not in `span` yet
    session_needs_count span;    ///< of the current span, which may turn out not to count
    session_needs_count spell;   ///< of spans that count, since the last spell ended
    session_needs_count earlier; ///< of the spell before
} session_needs;

/// Model of the lines by which the others' inputs come. It takes them for equally bad.
typedef struct session_needs_model {
    uint32_t lines; ///< number of lines, at least 1
    double growth;  ///< see bksi_needs_growth()
} session_needs_model;

/// Get the share of a line's ticks with a need that need still one tick more, because packets are
/// lost.
/// @param gap_ns  mean gap between the packets that came; 0: not known
double bksi_needs_growth(const bksi_link *link, double gap_ns, double tick_ns);
/// Count the delay that a tick needed, for the current span.
void bksi_needs_count(session_needs *needs, uint32_t ticks);
/// Forget the current span: its needs were not those of a line.
void bksi_needs_drop_span(session_needs *needs);
/// Keep the needs of the current span, and begin a new one. Needs are forgotten after one to two
/// spells.
void bksi_needs_keep_span(session_needs *needs, uint32_t spell_ticks);
/// Return true if a whole spell was counted.
bool bksi_needs_know_spell(const session_needs *needs, uint32_t spell_ticks);
/// Get the number of ticks that are counted.
uint32_t bksi_needs_all(const session_needs *needs);
/// Get the least delay with which at most `late` of the ticks that are counted, or of as many ticks
/// to come, are expected to be late.
uint32_t bksi_needs_least(const session_needs *needs, double late,
                          const session_needs_model *model);

#endif
