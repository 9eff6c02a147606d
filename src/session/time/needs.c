// SPDX-License-Identifier: MIT

// A tick that may be late once a minute is one in 3600, and half a minute of ticks shows none of
// these. So the tail is a model: as the packets that hold an input are lost one after the other, a
// share `growth` of the ticks that need n or more needs n + 1. The ticks that were counted correct
// this share, so that jitter and runs of losses show, and a need that was counted is never
// expected to be rarer than it was.

#include "session/time/needs.h"

#include <string.h>

/// Number of ticks that the share by losses weighs, beside the ticks that were counted.
#define MODEL_TICKS 16.0

void bksi_needs_count(session_needs *needs, uint32_t ticks)
{
    session_needs_count *span = &needs->span;
    const uint32_t need = ticks < BKS_DELAY_MAX ? ticks : BKS_DELAY_MAX;
    if (span->all < UINT16_MAX) {
        span->ticks[need]++;
        span->all++;
    }
}

void bksi_needs_drop_span(session_needs *needs)
{
    memset(&needs->span, 0, sizeof(needs->span));
}

void bksi_needs_keep_span(session_needs *needs, uint32_t spell_ticks)
{
    session_needs_count *spell = &needs->spell;
    if (spell->all >= spell_ticks || spell->all + needs->span.all > UINT16_MAX) {
        needs->earlier = *spell;
        memset(spell, 0, sizeof(*spell));
    }
    for (uint32_t i = 0; i <= BKS_DELAY_MAX; i++) {
        spell->ticks[i] = (uint16_t)(spell->ticks[i] + needs->span.ticks[i]);
    }
    spell->all += needs->span.all;
    bksi_needs_drop_span(needs);
}

bool bksi_needs_know_spell(const session_needs *needs, uint32_t spell_ticks)
{
    return needs->spell.all + needs->earlier.all >= spell_ticks;
}

uint32_t bksi_needs_least(const session_needs *needs, const session_needs_terms *terms)
{
    const uint32_t all = needs->span.all + needs->spell.all + needs->earlier.all;
    const double most = terms->late_per_minute * all / terms->ticks_per_minute;
    double expected = all;
    uint32_t need_more = all; // ticks that need a delay of `least` or more, then still more
    uint32_t least = 0;
    for (; least < BKS_DELAY_MAX; least++) {
        const double before = need_more + MODEL_TICKS;
        need_more -= needs->span.ticks[least] + needs->spell.ticks[least] +
                     needs->earlier.ticks[least];
        if (need_more == all) {
            continue;
        }
        expected *= (need_more + MODEL_TICKS * terms->growth) / before;
        expected = expected > need_more ? expected : need_more;
        if (expected <= most) {
            break;
        }
    }
    return least;
}
