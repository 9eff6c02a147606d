// SPDX-License-Identifier: MIT

/// @file needs.h
/// Delays that the ticks of a lockstep match needed, and the delay with which hardly any would be
/// late. needs.c alone writes this; others ask.

#ifndef BKSI_NEEDS_H
#define BKSI_NEEDS_H

#include "session/common/common.h"

/// Ticks by the delay that they needed.
typedef struct session_needs_count {
    uint32_t all;
    uint16_t ticks[BKS_DELAY_MAX + 1];
} session_needs_count;

typedef struct session_needs {
    session_needs_count span;    ///< of the current span, which may turn out not to count
    session_needs_count spell;   ///< of spans that count, since the last spell ended
    session_needs_count earlier; ///< of the spell before
} session_needs;

/// Late ticks that are accepted, and the line.
typedef struct session_needs_terms {
    double ticks_per_minute;
    double late_per_minute;
    double growth; ///< share of the ticks that need a delay or more, which need still one tick more
} session_needs_terms;

/// Count the delay that a tick needed, for the current span.
void bksi_needs_count(session_needs *needs, uint32_t ticks);
/// Forget the current span: its needs were not those of a line.
void bksi_needs_drop_span(session_needs *needs);
/// Keep the needs of the current span, and begin a new one. Needs are forgotten after one to two
/// spells.
void bksi_needs_keep_span(session_needs *needs, uint32_t spell_ticks);
/// Return true if a whole spell was counted.
bool bksi_needs_know_spell(const session_needs *needs, uint32_t spell_ticks);
/// Get the least delay with which no more ticks than accepted are expected to be late. Needs must
/// have been counted.
uint32_t bksi_needs_least(const session_needs *needs, const session_needs_terms *terms);

static inline bool bksi_needs_know_any(const session_needs *needs)
{
    return needs->span.all + needs->spell.all + needs->earlier.all > 0;
}

#endif
