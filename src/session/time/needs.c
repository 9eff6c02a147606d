// SPDX-License-Identifier: MIT

// Half a minute of ticks is too short to show a need that occurs once in a minute, that is in one
// of 3600 ticks at 60 Hz. So rare needs follow a model: if packets that hold an input are lost one
// after the other, a share `growth` of the ticks that need a delay of n or more on a line need n +
// 1 or more, and a tick needs what its worst line needs. The counted ticks correct this share, so
// that jitter and runs of losses are included. A need that was counted is never expected to be
// rarer than it was.

#include "session/time/needs.h"

#include <string.h>

#include "backstitch/math.h"

/// Weight of the model, in late ticks, compared with the late ticks that were counted. If the model
/// expects late ticks to be rare, it takes many counted ticks to correct it.
#define MODEL_LATE 3.0

/// Packets, and losses among them, that are added to the counts of a line, so that few packets do
/// not give an extreme loss. They are few because the lobby shows few packets.
#define ASSUMED_PACKETS 20.0
#define ASSUMED_LOSSES  0.2

double bksi_needs_growth(uint64_t received, uint64_t lost, double gap_ns, double tick_ns)
{
    const double sent = (double)received + (double)lost;
    const double loss = ((double)lost + ASSUMED_LOSSES) / (sent + ASSUMED_PACKETS);
    const double sent_gap_ns = gap_ns > 0.0 ? gap_ns * (1.0 - loss) : tick_ns;
    const double packets = tick_ns / sent_gap_ns;
    return bks_pow(loss, packets > 1.0 ? (double)(uint32_t)packets : packets);
}

/// Count the need of the newest tick, unless the next tick needs more.
static void count_newest(session_needs *needs, uint32_t next)
{
    if (needs->has_newest && next <= needs->newest) {
        needs->span.ticks[needs->newest]++;
    }
    needs->has_newest = false;
}

void bksi_needs_count(session_needs *needs, uint32_t ticks)
{
    const uint32_t need = ticks < BKS_DELAY_MAX ? ticks : BKS_DELAY_MAX;
    if (needs->span.all < UINT16_MAX) {
        count_newest(needs, need);
        needs->span.all++;
        needs->has_newest = true;
        needs->newest = need;
    }
}

void bksi_needs_drop_span(session_needs *needs)
{
    memset(&needs->span, 0, sizeof(needs->span));
    needs->has_newest = false;
}

void bksi_needs_forget(session_needs *needs)
{
    if (bksi_needs_all(needs) > 0) { // saves time: a disturbance takes many ticks
        memset(needs, 0, sizeof(*needs));
    }
}

void bksi_needs_keep_span(session_needs *needs, uint32_t spell_ticks)
{
    session_needs_count *spell = &needs->spell;
    count_newest(needs, 0);
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

bool bksi_needs_know(const session_needs *needs, uint32_t ticks)
{
    return needs->spell.all + needs->earlier.all >= ticks;
}

uint32_t bksi_needs_all(const session_needs *needs)
{
    return needs->span.all + needs->spell.all + needs->earlier.all;
}

static uint32_t ticks_with(const session_needs *needs, uint32_t need)
{
    const uint32_t newest = needs->has_newest && needs->newest == need ? 1 : 0;
    return newest + needs->span.ticks[need] + needs->spell.ticks[need] + needs->earlier.ticks[need];
}

uint32_t bksi_needs_most(const session_needs *needs)
{
    uint32_t most = BKS_DELAY_MAX;
    while (most > 0 && ticks_with(needs, most) == 0) {
        most--;
    }
    return most;
}

/// Get the share, among the ticks that need a delay of n or more, of those that need n + 1 or more
/// on at least one of the lines.
/// @param share  share, among all ticks, of those that need n or more
static double growth_of_all(const session_needs_model *model, double share)
{
    const double on_one = 1.0 - bks_pow(1.0 - share, 1.0 / model->lines);
    return (1.0 - bks_pow(1.0 - on_one * model->growth, model->lines)) / share;
}

uint32_t bksi_needs_least(const session_needs *needs, double late, const session_needs_model *model)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i <= BKS_DELAY_MAX; i++) {
        all += ticks_with(needs, i);
    }
    double expected = all;
    // Ticks that need a delay of `least` or more; after the subtraction, more than `least`.
    uint32_t need_more = all;
    uint32_t least = 0;
    for (; least < BKS_DELAY_MAX; least++) {
        const double before = need_more;
        need_more -= ticks_with(needs, least);
        if (need_more == all) {
            continue;
        }
        const double growth = growth_of_all(model, expected / all);
        expected *= growth * (need_more + MODEL_LATE) / (growth * before + MODEL_LATE);
        expected = expected > need_more ? expected : need_more;
        if (expected <= late) {
            break;
        }
    }
    return least;
}
