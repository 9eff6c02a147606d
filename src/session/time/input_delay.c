// SPDX-License-Identifier: MIT

// Automatic input delay. In rollback mode it follows the lags of the other peers' inputs, by a
// table with hysteresis [INVERSUS, Dynamic Input Latency], so that rollbacks are short. If the
// window is shorter than the lag, the delay makes up for the difference. In lockstep a late input
// stops the game visibly, so the delay is the shortest one with which less than about one tick a
// minute is late [Supreme Commander, Inherent Latency].

#include "session/time/input_delay.h"

#include "base/mutant.h"

/// Unit of the lags and delays in the table of level_of() (a tick of 60 Hz), and highest level of
/// the table.
#define UNIT_NS ((double)NS_PER_SECOND / 60.0)
#define LEVELS  4u

/// Expected number of late ticks a minute in a lockstep match, of all its peers: if one peer waits,
/// the others wait for it. The delay is raised only if more than LATE_PER_MINUTE_MOST are expected
/// with the present delay, because a raise costs as much as a late tick. It is lowered only to a
/// delay with which at most LATE_PER_MINUTE are expected.
#define LATE_PER_MINUTE      0.5
#define LATE_PER_MINUTE_MOST 4.0

/// Share of late ticks that the mutant HITCHES accepts when it chooses the delay.
#define LATE_SHARE_MUTATED 0.01

/// Time, in seconds, for which ticks must need less than the delay of a lockstep match before the
/// delay is lowered.
#define SPELL_S 20u

/// Time after a disturbance, in seconds, for which the needs of each second can lower the delay.
#define SETTLE_S 10u

/// Excess up to which a delay is kept, because a change would cost more. The same time is added to
/// the mean lag, for the gaps between packets.
#define SPARE_NS UNIT_NS

/// Minimum time between two changes of the delay: CHANGE_GAP_NS, but at most CHANGE_GAP_TICKS
/// ticks. While updates take too long it is PRESSING_GAP_TICKS ticks, because a tick that is
/// sampled but not stepped gives the machine a rest.
#define CHANGE_GAP_NS      (NS_PER_SECOND / 6)
#define CHANGE_GAP_TICKS   10u
#define PRESSING_GAP_TICKS 2u

/// If a delay is n ticks too long, the minimum time between two changes is LOWER_NS / n where that
/// is shorter than CHANGE_GAP_NS, so a delay that is far too long falls faster.
#define LOWER_NS (NS_PER_SECOND / 2)

static double ticks_of(const session_common *common, double ns)
{
    return ns / bksi_common_tick_ns(common);
}

static uint32_t at_most(double ticks)
{
    return ticks < BKS_DELAY_MAX ? (uint32_t)ticks : BKS_DELAY_MAX;
}

/// Get SPARE_NS in ticks, at least one tick.
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

bool bksi_input_delay_follows_needs(const session_common *common)
{
    return is_auto(common) && is_lockstep(common);
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

/// Get the level of the delay for a lag. Hysteresis prevents quick changes back and forth
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

/// Get the larger of two delays: the one that the table gives, and the one that makes up for a
/// short window. Keep the wanted delay if it is only a little too long.
static uint32_t delay_for_lags(session_input_delay *delay, const session_common *common,
                               const session_lags *lags)
{
    // If ticks are longer than UNIT_NS, subtract the excess from the lag: a lag of less than a tick
    // is not lateness, because our ticks begin at any time between two ticks of a peer.
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

// ---- lockstep ----

/// Get a peer's share of a number of late ticks of the match.
static double share_of(double late, const session_needs_model *model)
{
    return late / (model->lines + 1.0);
}

/// Get the number of ticks in a time, at the speed of the match.
static double ticks_in(const session_common *common, uint32_t seconds)
{
    return ticks_of(common, (double)(seconds * NS_PER_SECOND));
}

static double ticks_per_minute(const session_common *common)
{
    return ticks_in(common, 60);
}

static uint32_t spell_ticks(const session_common *common)
{
    return (uint32_t)ticks_in(common, SPELL_S);
}

/// Choose the delay by the delays that the ticks of the last one to two spells needed. A raise
/// costs as much as a wait, so do not raise the delay for a need that occurred once. If a wait has
/// already raised the delay, keeping it costs nothing more.
static void choose_by_needs(session_input_delay *delay, const session_common *common,
                            const session_needs_model *model)
{
    const session_needs *needs = &delay->needs;
    if (bksi_needs_all(needs) == 0) {
        return;
    }
    if (bksi_mutated(BKSI_MUTANT_SHARE)) {
        delay->wanted = bksi_needs_least(needs, LATE_SHARE_MUTATED * bksi_needs_all(needs), model);
        return;
    }
    const double minutes = bksi_needs_all(needs) / ticks_per_minute(common);
    const double bad = share_of(LATE_PER_MINUTE_MOST, model) * minutes;
    const double late_most = bad > 1.0 ? bad : 1.0;
    const uint32_t enough =
        bksi_needs_least(needs, share_of(LATE_PER_MINUTE, model) * minutes, model);
    const uint32_t least = bksi_needs_least(needs, late_most, model);
    const uint32_t in_force = delay->now > delay->wanted ? delay->now : delay->wanted;
    if (in_force < least) {
        delay->wanted = least;
    } else if (in_force <= enough) {
        delay->wanted = in_force;
    } else if (delay->wanted < enough || bksi_needs_know(needs, spell_ticks(common))) {
        delay->wanted = enough;
    }
}

/// After a disturbance, whenever the needs of a second are known, lower the wanted delay to what
/// they demand, but not below the delay before the disturbance. A delay that would be kept is long
/// enough: a second shows too little to ask for less than LATE_PER_MINUTE_MOST. If no tick of the
/// second needed more than the delay before, the lines are what they were. For SETTLE_S each
/// second counts alone, because packets that were delayed by the disturbance may still come.
static void settle(session_input_delay *delay, const session_common *common,
                   const session_needs_model *model)
{
    const session_needs *needs = &delay->needs;
    if (!delay->is_disturbed || !bksi_needs_know(needs, (uint32_t)ticks_in(common, 1))) {
        return;
    }
    const double minutes = bksi_needs_all(needs) / ticks_per_minute(common);
    const uint32_t enough =
        bksi_needs_least(needs, share_of(LATE_PER_MINUTE_MOST, model) * minutes, model);
    const bool is_as_before = bksi_needs_most(needs) <= delay->undisturbed;
    const uint32_t least =
        is_as_before || enough < delay->undisturbed ? delay->undisturbed : enough;
    delay->wanted = delay->wanted < least ? delay->wanted : least;
    delay->is_disturbed = delay->calm_ticks < ticks_in(common, SETTLE_S);
    if (delay->is_disturbed) {
        bksi_needs_forget(&delay->needs);
    }
}

void bksi_input_delay_disturb(session_input_delay *delay)
{
    delay->calm_ticks = 0;
    delay->is_disturbed = true;
    bksi_needs_forget(&delay->needs);
}

void bksi_input_delay_scale(session_input_delay *delay, const session_common *common, double ratio)
{
    if (bksi_input_delay_follows_needs(common)) {
        bksi_input_delay_disturb(delay);
        delay->wanted = at_most(delay->wanted * ratio + 0.99);
        delay->earlier = delay->wanted;
        delay->undisturbed = 0;
    }
}

/// Get the first delay from the time that a packet takes and from the losses in the lobby, because
/// no tick has been stepped yet.
static uint32_t delay_for_way(const session_common *common, double way_ns,
                              const session_needs_model *model)
{
    uint32_t ticks = at_most(ticks_of(common, way_ns) + 1.0);
    double late = ticks_per_minute(common) * model->lines * model->growth;
    for (; late > share_of(LATE_PER_MINUTE, model) && ticks < BKS_DELAY_MAX; ticks++) {
        late *= model->growth;
    }
    return ticks;
}

// ---- rollback and lockstep ----

void bksi_input_delay_end_span(session_input_delay *delay, const session_common *common,
                               const session_lags *lags, bool is_settled,
                               const session_needs_model *model)
{
    bksi_needs_keep_span(&delay->needs, spell_ticks(common));
    if (bksi_input_delay_follows_needs(common)) {
        delay->earlier = delay->wanted;
        choose_by_needs(delay, common, model);
        settle(delay, common, model);
    } else if (is_auto(common) && is_settled) {
        delay->wanted = delay_for_lags(delay, common, lags);
    }
}

void bksi_input_delay_resume(session_input_delay *delay, const session_common *common,
                             const session_needs_model *model)
{
    if (bksi_input_delay_follows_needs(common)) {
        choose_by_needs(delay, common, model);
    }
}

/// Start from half the longest round trip [INVERSUS, Dynamic Input Latency], because no lag is
/// known yet.
void bksi_input_delay_start(session_input_delay *delay, const session_common *common, double way_ns,
                            const session_needs_model *model)
{
    if (bksi_input_delay_follows_needs(common)) {
        delay->wanted = delay_for_way(common, way_ns, model);
    } else if (is_auto(common)) {
        const session_lags lags = {.local_ns = way_ns, .remote_ns = way_ns};
        delay->wanted = delay_for_lags(delay, common, &lags);
    }
    if (bksi_mutated(BKSI_MUTANT_NOISE)) {
        delay->wanted += bksi_mutant_noise() % 3;
    }
    delay->now = delay->wanted;
    delay->earlier = delay->undisturbed = delay->wanted;
}

void bksi_input_delay_pass_tick(session_input_delay *delay, uint32_t need, bool is_lines)
{
    delay->since_change++;
    delay->calm_ticks++;
    delay->need = need;
    if (is_lines) {
        bksi_needs_count(&delay->needs, need);
    }
}

/// Get the delay to move to: the larger of the wanted delay and the one that the budget asks for.
static uint32_t target(const session_input_delay *delay, uint32_t asked)
{
    return asked > delay->wanted ? asked : delay->wanted;
}

bool bksi_input_delay_starve(session_input_delay *delay, uint32_t asked)
{
    const uint32_t most = target(delay, asked);
    if (delay->now >= (most < BKS_DELAY_MAX ? most : BKS_DELAY_MAX)) {
        return false;
    }
    delay->since_change = 0;
    delay->now++;
    return true;
}

/// Get the minimum number of ticks between two changes of the delay.
/// @param excess  ticks by which the delay is too long
static uint32_t change_gap(const session_common *common, bool is_pressing, uint32_t excess)
{
    if (is_pressing) {
        return PRESSING_GAP_TICKS;
    }
    const uint32_t ticks = (uint32_t)(ticks_of(common, CHANGE_GAP_NS) + 0.5);
    const uint32_t gap = ticks < CHANGE_GAP_TICKS ? ticks : CHANGE_GAP_TICKS;
    const uint32_t quick =
        excess > 0 ? (uint32_t)(ticks_of(common, (double)LOWER_NS) / excess) : gap;
    return quick < gap ? quick : gap;
}

/// Return true if the delay can be lowered now. In lockstep this needs one of two things: the
/// inputs to step one more tick, or a lead over the others, so that we may skip a sample.
static bool may_lower(const session_input_delay *delay, const session_common *common, bool is_ahead)
{
    return !is_lockstep(common) || is_ahead || delay->need < delay->now;
}

int32_t bksi_input_delay_change(session_input_delay *delay, const session_common *common,
                                uint32_t asked, bool is_ahead)
{
    const uint32_t wanted = target(delay, asked);
    const uint32_t excess = delay->now > wanted ? delay->now - wanted : 0;
    if (delay->now == wanted || (excess > 0 && !may_lower(delay, common, is_ahead)) ||
        delay->since_change < change_gap(common, asked > delay->now, excess)) {
        return 0;
    }
    delay->since_change = 0;
    const int32_t change = delay->now < wanted ? 1 : -1;
    delay->now += (uint32_t)change;
    return change;
}
