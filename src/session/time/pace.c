// SPDX-License-Identifier: MIT

// Pace of ticks: no peer may run ahead of the others. Each peer measures its advantage from the
// lags in both directions, averaged over a span. It gives the advantage up, either by stalling a
// tick now and then or by making its ticks a little longer [INVERSUS, Frame Advantage to Stall
// Application]. At the end of a span the input delay is chosen, too. A peer that lost time in a
// freeze steps several ticks an update until it is no longer behind. Spans have a length in time.

#include "session/time/pace.h"

#include <string.h>

#include "session/time/behind.h"
#include "session/time/disturbance.h"
#include "session/time/line_needs.h"

/// Smallest advantage in ticks with which the pace policy `stall` stalls.
#define STALL_FROM_TICKS 0.75

/// Largest share by which the policy `slew` makes ticks longer. Half of the advantage is given up
/// in a span.
#define SLEW_MAX 0.02

/// Lengths of spans, over which lags are averaged: 100 ticks of 60 Hz [INVERSUS, Advantage
/// Smoothing]. The first SHORT_SPANS spans after the start and after a freeze are short. Later
/// spans are short while our advantage is SHORT_FROM_NS or more. The correction is largest at these
/// times. After a disturbance they take a second, after which the input delay can be lowered
/// (input_delay.h). After a start or freeze the first span begins when packets sent since then have
/// been answered: after the longest round trip and SETTLE_NS, at most SETTLE_NS_MAX.
#define SPAN_NS       (NS_PER_SECOND * 5 / 3)
#define SHORT_SPAN_NS (NS_PER_SECOND / 3)
#define SHORT_SPANS   5u
#define SHORT_FROM_NS ((double)NS_PER_SECOND / 60.0)
#define SETTLE_NS     (50.0 * NS_PER_MS)
#define SETTLE_NS_MAX (10.0 * NS_PER_SECOND)

/// Maximum number of ticks between two waits that count as consecutive.
#define AGAIN_TICKS 4.0

static void note(lag_mean *mean, bks_tick lag)
{
    mean->span_sum += lag;
    mean->span_count++;
    mean->sum += lag;
    mean->count++;
    mean->newest = lag;
}

void bksi_pace_init(session_pace *pace, const session_common *common)
{
    bksi_input_delay_init(&pace->delay, common);
}

static void note_gap(session_pace_peer *peer, uint64_t gap_ns)
{
    const double gap = (double)gap_ns;
    if (gap_ns <= FREEZE_NS) {
        peer->gap_ns = peer->gap_ns > 0.0 ? peer->gap_ns + (gap - peer->gap_ns) / 16.0 : gap;
    }
}

void bksi_pace_head(session_pace *pace, const session_common *common, uint32_t index,
                    bks_tick known, bks_tick head)
{
    session_pace_peer *peer = &pace->peers[index];
    if (head < known) {
        return; // the message was overtaken by a newer one
    }
    const uint64_t lost = bksi_link_lost(&common->links.peers[index].link);
    if (common->now_ns - peer->head_ns > FREEZE_NS) {
        const bool is_first = peer->head_ns == 0;
        peer->back_ns = common->now_ns;
        peer->silent_lost += !is_first && lost > peer->lost ? lost - peer->lost : 0;
    }
    peer->lost = lost;
    if (!common->game_speed.is_paused) {
        note_gap(peer, common->now_ns - peer->head_ns);
    }
    peer->head_ns = common->now_ns;
    peer->moved_ns = head > known ? common->now_ns : peer->moved_ns;
    peer->detour_ns = common->links.peers[index].link.way != 0 ? common->now_ns : peer->detour_ns;
}

void bksi_pace_carried(session_pace *pace, const session_common *common)
{
    pace->carried_ns = common->now_ns;
}

void bksi_pace_heard(session_pace *pace, const session_common *common, uint32_t index, bks_tick lag)
{
    // Limit the lag that a peer claims: no window lets a peer run further ahead.
    bks_tick most = (bks_tick)(common->config.tuning.window_ticks + pace->delay.now) + 1;
    lag = lag < -most ? -most : lag;
    if (pace->span_ticks >= 0 && !common->game_speed.is_paused) {
        note(&pace->peers[index].remote_lag, lag);
    }
}

void bksi_pace_sent(session_pace *pace, const session_common *common, uint32_t index, bks_tick lag)
{
    if (pace->span_ticks >= 0 && !common->game_speed.is_paused) {
        note(&pace->peers[index].local_lag, lag);
    }
}

static double span_mean(const lag_mean *mean)
{
    return mean->span_count == 0 ? 0.0 : mean->span_sum / mean->span_count;
}

static void begin_span(session_pace *pace, const session_common *common)
{
    pace->span_ticks = 0;
    bksi_input_delay_drop_span(&pace->delay);
    EACH_PEER (i, common->seats.all) {
        session_pace_peer *peer = &pace->peers[i];
        peer->local_lag.span_sum = peer->remote_lag.span_sum = 0.0;
        peer->local_lag.span_count = peer->remote_lag.span_count = 0;
    }
}

static double worst_round_trip_ns(const session_common *common)
{
    return bksi_links_longest_trip_ns(&common->links, bksi_common_others(common));
}

static void choose_slew(session_pace *pace, double slew)
{
    pace->slew = slew;
    pace->has_slew = true;
}

bool bksi_pace_take_slew(session_pace *pace, double *slew)
{
    if (!pace->has_slew) {
        return false;
    }
    pace->has_slew = false;
    *slew = pace->slew;
    return true;
}

/// Begin a new average of lags, once packets that are sent from now on have been answered. Earlier
/// lags do not count any more.
static void begin_afresh(session_pace *pace, const session_common *common)
{
    double settle_ns = worst_round_trip_ns(common) + SETTLE_NS;
    settle_ns = settle_ns < SETTLE_NS_MAX ? settle_ns : SETTLE_NS_MAX;
    begin_span(pace, common);
    pace->span_ticks = -(int32_t)(settle_ns / bksi_common_tick_ns(common) + 0.5);
    pace->short_spans = SHORT_SPANS;
    pace->stall_queue = 0;
    pace->is_recovering =
        bksi_rollback_front(&common->engine) > bksi_rollback_first(&common->engine);
    pace->ahead = 0.0;
    choose_slew(pace, 0.0);
}

/// Get the length of a span in ticks, at least one.
static int32_t span_length(const session_pace *pace, const session_common *common)
{
    double span_ns = (double)(pace->short_spans > 0      ? SHORT_SPAN_NS
                              : pace->delay.is_disturbed ? NS_PER_SECOND
                                                         : SPAN_NS);
    int32_t ticks = (int32_t)(span_ns / bksi_common_tick_ns(common) + 0.5);
    return ticks > 1 ? ticks : 1;
}

/// Get the mean advantage over all peers, in ticks. The mean is used, not the largest advantage: a
/// liar has little weight in it, and the largest may come from a line that is slow in one direction
/// only. With two peers only the advantage over the other peer counts. With more peers we count
/// ourselves too, so that the mean of all peers does not drift. Each advantage is counted for the
/// statistics.
static double mean_advantage(session_pace *pace, const session_common *common)
{
    double sum = 0.0;
    uint32_t count = 0;
    int32_t length = span_length(pace, common);
    EACH_PEER (i, bksi_common_others(common)) {
        session_pace_peer *peer = &pace->peers[i];
        if (peer->local_lag.span_count == 0 || peer->remote_lag.span_count == 0) {
            continue;
        }
        double advantage = (span_mean(&peer->local_lag) - span_mean(&peer->remote_lag)) / 2.0;
        peer->ahead = advantage;
        sum += advantage;
        count++;
        double absolute = advantage < 0.0 ? -advantage : advantage;
        pace->advantage_sum += absolute * length;
        pace->advantage_count += (uint64_t)length;
        if (absolute > pace->advantage_abs_max) {
            pace->advantage_abs_max = absolute;
        }
    }
    if (sum <= 0.0) {
        return 0.0;
    }
    return sum / (count == 1 ? 1 : count + 1);
}

static session_lags worst_lags(const session_pace *pace, const session_common *common)
{
    session_lags worst = {0.0, 0.0};
    EACH_PEER (i, bksi_common_others(common)) {
        double local = span_mean(&pace->peers[i].local_lag);
        double remote = span_mean(&pace->peers[i].remote_lag);
        worst.local_ns = local > worst.local_ns ? local : worst.local_ns;
        worst.remote_ns = remote > worst.remote_ns ? remote : worst.remote_ns;
    }
    worst.local_ns *= bksi_common_tick_ns(common);
    worst.remote_ns *= bksi_common_tick_ns(common);
    return worst;
}

void bksi_pace_retune(session_pace *pace, const session_common *common)
{
    bksi_input_delay_retune(&pace->delay, common);
    if (common->config.tuning.pace != BKS_PACE_STALL) {
        pace->stall_queue = 0;
    }
    if (common->config.tuning.pace != BKS_PACE_SLEW) {
        choose_slew(pace, 0.0);
    }
}

void bksi_pace_start(session_pace *pace, const session_common *common)
{
    pace->tick_ns = bksi_common_tick_ns(common);
    EACH_PEER (i, bksi_common_others(common)) {
        // Replace the gaps of the lobby, where packets are rarer, by the gap of our sending rate.
        pace->peers[i].gap_ns = (double)bksi_line_rate_gap_ns(&common->links.peers[i].rate);
        pace->peers[i].silent_lost = common->links.peers[i].missed;
    }
    const session_needs_model model = bksi_line_needs_model(pace, common);
    bksi_input_delay_start(&pace->delay, common, worst_round_trip_ns(common) / 2.0, &model);
    begin_afresh(pace, common);
}

static void end_span(session_pace *pace, const session_common *common)
{
    double advantage = mean_advantage(pace, common);
    double tick_ns = bksi_common_tick_ns(common);
    pace->ahead = advantage;
    if (pace->short_spans == SHORT_SPANS) {
        bksi_input_delay_know_lead(&pace->delay);
    }
    pace->short_spans -= pace->short_spans > 0 ? 1 : 0;
    if (pace->short_spans == 0 && advantage * tick_ns >= SHORT_FROM_NS) {
        pace->short_spans = 1;
    }
    session_lags lags = worst_lags(pace, common);
    const session_needs_model model = bksi_line_needs_model(pace, common);
    if (pace->detours == 0) {
        bksi_input_delay_mark(&pace->delay);
    }
    bksi_input_delay_end_span(&pace->delay, common, &lags, pace->short_spans <= 1, &model);
    if (common->config.tuning.pace == BKS_PACE_STALL && advantage >= STALL_FROM_TICKS) {
        pace->stall_queue = advantage < 1.5 ? 1 : (uint32_t)(advantage + 0.5);
    }
    double slew = advantage / (2.0 * span_length(pace, common));
    if (common->config.tuning.pace == BKS_PACE_SLEW) {
        choose_slew(pace, slew > SLEW_MAX ? SLEW_MAX : slew);
    }
    begin_span(pace, common);
}

/// Let the input delay of lockstep forget its needs in a disturbance, when the path of a peer's
/// inputs changes, and when we wait for a peer that a disturbance of others holds up. Waits for the
/// first inputs are none: if lines take longer in one direction, half a round trip is too short.
static void note_disturbance(session_pace *pace, const session_common *common, bool is_starving)
{
    const bks_tick stepped = bksi_rollback_front(&common->engine) - common->seats.first_tick;
    if (stepped == 0) {
        return;
    }
    is_starving &= stepped >= (bks_tick)common->config.tick_rate_hz; // others may wait for a second
    const uint32_t detours = bksi_disturbance_detours(pace, common);
    if (detours != pace->detours || bksi_disturbance_is_lasting(pace, common) ||
        (is_starving && bksi_disturbance_is_of_others(pace, common))) {
        pace->detours = detours;
        pace->short_spans = SHORT_SPANS;
        bksi_input_delay_disturb(&pace->delay);
    }
}

/// Note that a tick's time has come. A span does not end while we starve, because it may turn out
/// that we wait for a peer that froze.
/// @param is_lines  true if only the lines delay the inputs, so that the delay that the tick needed
///         is counted
static void pass_tick(session_pace *pace, const session_common *common, uint32_t ticks,
                      bool is_starving, bool is_lines)
{
    pace->is_recovering &= pace->span_ticks < 0;
    if (bksi_input_delay_follows_needs(common) && !bksi_mutated(BKSI_MUTANT_SILENCE) &&
        !bksi_mutated(BKSI_MUTANT_DISTURBED)) {
        note_disturbance(pace, common, is_starving);
    }
    bksi_input_delay_pass_tick(&pace->delay, bksi_line_needs_of_tick(pace, common, ticks),
                               is_lines);
    // Do not end a span while ticks are still to be stalled, because the next span would measure
    // the same advantage again.
    if (++pace->span_ticks >= span_length(pace, common) && pace->stall_queue == 0 &&
        (!is_starving || bksi_mutated(BKSI_MUTANT_SILENCE))) {
        end_span(pace, common);
    }
}

void bksi_pace_note_stretch(session_pace *pace, bool is_stretched)
{
    pace->is_stretched = is_stretched;
    if (is_stretched) {
        bksi_input_delay_drop_span(&pace->delay);
    }
}

bool bksi_pace_tick(session_pace *pace, const session_common *common, uint32_t due)
{
    pass_tick(pace, common, due + 1, false, bksi_disturbance_is_absent(pace, common));
    if (pace->stall_queue == 0) {
        return false;
    }
    uint32_t period = pace->stall_queue >= 10 ? 1 : 11 - pace->stall_queue;
    if (++pace->since_stall < period) {
        return false;
    }
    pace->since_stall = 0;
    if (--pace->stall_queue == 0) {
        begin_span(pace, common);
    }
    return true;
}

/// Get the longest input delay, in ticks, to which a wait for inputs may raise it until the wait
/// ends. While we wait we keep sampling, so that the others get our inputs in time. 0: no raise.
static uint32_t lent_delay(const session_pace *pace, const session_common *common)
{
    if (!bksi_input_delay_follows_needs(common) || !bksi_disturbance_is_absent(pace, common)) {
        return 0;
    }
    const uint32_t ticks = (uint32_t)((double)FREEZE_NS / bksi_common_tick_ns(common));
    return pace->delay.wanted + (ticks > 1 ? ticks : 1);
}

bool bksi_pace_starve(session_pace *pace, const session_common *common, uint32_t asked)
{
    const uint32_t lent = lent_delay(pace, common);
    pass_tick(pace, common, pace->waited_ticks + 2, true, pace->delay.now < lent);
    const bool is_raised = bksi_input_delay_starve(&pace->delay, asked > lent ? asked : lent);
    pace->waited_ticks += is_raised ? 0 : 1;
    return is_raised;
}

/// Change the input delay. To lower it by a tick, skip a sample if we are ahead of the others;
/// otherwise step one more tick. To raise it, sample a tick without stepping.
bool bksi_pace_change_delay(session_pace *pace, const session_common *common, uint32_t asked,
                            uint32_t *steps)
{
    const bool is_ahead = bksi_input_delay_follows_needs(common) && pace->ahead >= 1.0;
    const int32_t change = bksi_input_delay_change(&pace->delay, common, asked, is_ahead);
    *steps = change < 0 && !is_ahead ? 1 : 0;
    if (change < 0 && is_ahead) {
        pace->ahead -= 1.0;
        EACH_PEER (i, bksi_common_others(common)) {
            pace->peers[i].ahead -= 1.0;
        }
    }
    return change > 0;
}

static void note_wake(session_pace *pace, const session_common *common)
{
    pace->woke_ns = common->now_ns;
    pace->woke_head = bksi_common_own_head(common);
}

void bksi_pace_wake(session_pace *pace, const session_common *common, uint32_t missed)
{
    uint32_t known = pace->forgotten_ticks;
    pace->forgotten_ticks =
        missed < BKSI_MISSED_TICKS_MAX - known ? known + missed : BKSI_MISSED_TICKS_MAX;
    note_wake(pace, common);
}

/// Return true if we waited for a peer that froze, that fell silent since our last wait or freeze,
/// or that itself waited for us. A wait of one second beyond all round trips shows the last case. A
/// peer whose line became slower keeps sending, so its lags are true and the input delay follows
/// them.
static bool was_for_a_freeze(const session_pace *pace, const session_common *common,
                             uint64_t starved_ns)
{
    if ((double)starved_ns > worst_round_trip_ns(common) + (double)NS_PER_SECOND) {
        return true;
    }
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        const session_pace_peer *peer = &pace->peers[i];
        if (peer->back_ns >= common->now_ns - starved_ns ||
            (bksi_disturbance_is_silent(pace, common, i) && peer->head_ns >= pace->woke_ns)) {
            return true;
        }
    }
    return false;
}

/// End a wait. If we waited for a peer in a freeze, return at once from a lent delay to the wanted
/// delay, which skips samples. Return false after consecutive waits, too: they show that our ticks
/// come too early, so the times of our ticks must move.
bool bksi_pace_resume(session_pace *pace, const session_common *common, uint64_t starved_ns)
{
    const double since_ns = (double)(common->now_ns - starved_ns - pace->woke_ns);
    const bool is_again = since_ns < AGAIN_TICKS * bksi_common_tick_ns(common);
    const bool is_afresh = starved_ns > FREEZE_NS && was_for_a_freeze(pace, common, starved_ns);
    note_wake(pace, common);
    pace->waited_ticks = 0;
    if (is_afresh) {
        begin_afresh(pace, common);
        bksi_input_delay_give_back(&pace->delay);
        return false;
    }
    const session_needs_model model = bksi_line_needs_model(pace, common);
    bksi_input_delay_resume(&pace->delay, common, &model);
    return bksi_input_delay_follows_needs(common) && !pace->is_recovering && !is_again;
}

void bksi_pace_change_speed(session_pace *pace, const session_common *common)
{
    const double tick_ns = bksi_common_tick_ns(common);
    if (tick_ns != pace->tick_ns) {
        bksi_input_delay_scale(&pace->delay, common, pace->tick_ns / tick_ns);
        pace->tick_ns = tick_ns;
    }
    pace->forgotten_ticks = 0;
    note_wake(pace, common);
    begin_afresh(pace, common);
}

uint32_t bksi_pace_catch_up(session_pace *pace, const session_exchange *exchange,
                            const session_common *common, double interval_ns, uint32_t due,
                            uint32_t room)
{
    double behind = bksi_ticks_behind(pace, exchange, common, interval_ns, due);
    if (behind < 0.0) {
        return 0;
    }
    uint32_t extra = behind < room ? (uint32_t)(behind + 0.5) : room;
    pace->forgotten_ticks = behind < room ? 0 : pace->forgotten_ticks - extra;
    if (pace->forgotten_ticks == 0) {
        begin_afresh(pace, common);
    }
    return extra;
}
