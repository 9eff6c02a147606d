// SPDX-License-Identifier: MIT

// Automatic input delay. In rollback it follows the lateness of the others' inputs, by a table with
// hysteresis [INVERSUS, Dynamic Input Latency], so that rollbacks are short. If the window is
// shorter than the lag, the delay makes up for the difference. In lockstep every input is waited
// for: the delay that each tick needed is counted, and the delay in force is the least that
// suffices nearly always [Supreme Commander, Inherent Latency].

#include "session/time/input_delay.h"

#include <string.h>

#include "base/mutant.h"

/// Unit of the table's lags and delays: a tick of 60 Hz.
#define UNIT_NS ((double)NS_PER_SECOND / 60.0)
#define LEVELS  4u

/// Share of lockstep ticks for which the delay need not suffice: one in this many.
#define MISS_ONE_IN 100u

/// Longest part of a delay that is not needed but kept, because a change costs more. The same time
/// is added to the mean lag, for the gaps between packets.
#define SPARE_NS UNIT_NS

/// Shortest time between two changes of the delay, in ns and in ticks. It is shorter while updates
/// take too long, because a sample without a step gives the machine a rest.
#define CHANGE_GAP_NS      (NS_PER_SECOND / 6)
#define CHANGE_GAP_TICKS   10u
#define PRESSING_GAP_TICKS 2u

static double ticks_of(const session_common *common, double ns)
{
    return ns / bksi_common_tick_ns(common);
}

static uint32_t at_most(double ticks)
{
    return ticks < BKS_DELAY_MAX ? (uint32_t)ticks : BKS_DELAY_MAX;
}

/// Get the spare delay in ticks, at least one.
static uint32_t spare_ticks(const session_common *common)
{
    const uint32_t ticks = at_most(ticks_of(common, SPARE_NS));
    return ticks > 1 ? ticks : 1;
}

static bool is_auto(const session_common *common)
{
    return common->config.tuning.delay_ticks == BKS_AUTO;
}

static bool is_lockstep(const session_common *common)
{
    return common->config.tuning.window_ticks == 0;
}

void bksi_input_delay_init(session_input_delay *delay, const session_common *common)
{
    delay->now = is_auto(common) ? 0 : common->config.tuning.delay_ticks;
    delay->wanted = delay->now;
}

void bksi_input_delay_retune(session_input_delay *delay, const session_common *common)
{
    delay->wanted = is_auto(common) ? delay->wanted : common->config.tuning.delay_ticks;
    delay->now = bksi_phase_is_running(&common->phase) ? delay->now : delay->wanted;
}

void bksi_input_delay_begin_span(session_input_delay *delay)
{
    memset(delay->needed, 0, sizeof(delay->needed));
}

/// Move the level of the delay to the lag, with hysteresis against quick changes back and forth
/// [INVERSUS, Dynamic Input Latency].
static uint32_t level_of(uint32_t level, double lag_ns)
{
    static const double up[LEVELS] = {2.0, 3.0, 6.0, 8.0};
    static const double down[LEVELS] = {1.0, 2.0, 5.0, 7.0};
    const double lag = lag_ns / UNIT_NS;
    while (level < LEVELS && lag >= up[level]) {
        level++;
    }
    while (level > 0 && lag <= down[level - 1]) {
        level--;
    }
    return level;
}

/// Get the larger of the delay by the table and the delay that makes up for a short window. Keep
/// the wanted delay if it is only a little too long.
static uint32_t delay_for_lags(session_input_delay *delay, const session_common *common,
                               const session_lags *lags)
{
    // For ticks longer than UNIT_NS, subtract the excess: our ticks fall anywhere between a peer's,
    // so an input that arrives within one tick is not late.
    const double tick_ns = bksi_common_tick_ns(common);
    delay->level =
        level_of(delay->level, lags->remote_ns - (tick_ns > UNIT_NS ? tick_ns - UNIT_NS : 0.0));
    const uint32_t by_table = at_most(ticks_of(common, delay->level * UNIT_NS) + 0.5);
    const double window = bksi_rollback_window(&common->engine);
    const double lacks = ticks_of(common, lags->local_ns + SPARE_NS) + 1.0 - window;
    const uint32_t by_window = lacks > 0.0 ? at_most(lacks) : 0;
    const uint32_t least = by_window > by_table ? by_window : by_table;
    const bool is_kept = delay->wanted >= least && delay->wanted <= lacks + spare_ticks(common);
    return is_kept ? delay->wanted : least;
}

/// Find the least delay that suffices for nearly all lockstep ticks.
static uint32_t delay_for_needed(const session_input_delay *delay, const session_common *common)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= BKS_DELAY_MAX; i++) {
        count += delay->needed[i];
    }
    if (count == 0) {
        return delay->wanted;
    }
    uint32_t least = BKS_DELAY_MAX;
    uint32_t missed = 0;
    while (least > 0 && missed + delay->needed[least] <= count / MISS_ONE_IN) {
        missed += delay->needed[least--];
    }
    const bool is_kept = delay->wanted >= least && delay->wanted <= least + spare_ticks(common);
    return is_kept ? delay->wanted : least;
}

void bksi_input_delay_choose(session_input_delay *delay, const session_common *common,
                             const session_lags *lags, bool is_settled)
{
    if (!is_auto(common)) {
        return;
    }
    if (is_lockstep(common)) {
        delay->wanted = delay_for_needed(delay, common);
    } else if (is_settled) {
        delay->wanted = delay_for_lags(delay, common, lags);
    }
}

/// Start from half the longest round trip [INVERSUS, Dynamic Input Latency], because no lag is
/// known yet.
void bksi_input_delay_start(session_input_delay *delay, const session_common *common, double way_ns)
{
    if (is_auto(common) && is_lockstep(common)) {
        delay->wanted = at_most(ticks_of(common, way_ns + SPARE_NS) + 1.0);
    } else if (is_auto(common)) {
        const session_lags lags = {.local_ns = way_ns, .remote_ns = way_ns};
        delay->wanted = delay_for_lags(delay, common, &lags);
    }
    if (bksi_mutated(BKSI_MUTANT_NOISE)) {
        delay->wanted += bksi_mutant_noise() % 3;
    }
    delay->now = delay->wanted;
}

/// Count the delay with which the due tick could be stepped now.
void bksi_input_delay_pass_tick(session_input_delay *delay, const session_common *common,
                                uint32_t ticks, bks_tick least, bool is_in_span)
{
    int64_t need = (int64_t)bksi_rollback_front(&common->engine) + ticks + delay->now - least;
    need = need < 0 ? 0 : need > BKS_DELAY_MAX ? BKS_DELAY_MAX : need;
    delay->since_change++;
    if (is_in_span) {
        delay->needed[need]++;
    }
}

/// Get the larger of the delays that the lags and the budget want.
static uint32_t target(const session_input_delay *delay, uint32_t asked)
{
    return asked > delay->wanted ? asked : delay->wanted;
}

bool bksi_input_delay_starve(session_input_delay *delay, uint32_t asked)
{
    if (delay->now >= target(delay, asked)) {
        return false;
    }
    delay->since_change = 0;
    delay->now++;
    return true;
}

/// Get the number of ticks between two changes of the delay.
static uint32_t change_gap(const session_common *common, bool is_pressing)
{
    if (is_pressing) {
        return PRESSING_GAP_TICKS;
    }
    const uint32_t ticks = (uint32_t)(ticks_of(common, CHANGE_GAP_NS) + 0.5);
    return ticks < CHANGE_GAP_TICKS ? ticks : CHANGE_GAP_TICKS;
}

int32_t bksi_input_delay_change(session_input_delay *delay, const session_common *common,
                                uint32_t asked)
{
    const uint32_t wanted = target(delay, asked);
    if (delay->now == wanted || delay->since_change < change_gap(common, asked > delay->now)) {
        return 0;
    }
    delay->since_change = 0;
    const int32_t change = delay->now < wanted ? 1 : -1;
    delay->now += (uint32_t)change;
    return change;
}
