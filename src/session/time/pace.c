// SPDX-License-Identifier: MIT

// Pace of ticks: no peer may run ahead of the others. Each peer measures its advantage from the
// lags in both directions, averaged over a span. It gives the advantage up, either by stalling a
// tick now and then or by making its ticks a little longer [INVERSUS, Frame Advantage to Stall
// Application]. At the end of a span the input delay is chosen, too. A peer that lost time in a
// freeze steps several ticks an update until it is level. Spans are times, so that 1000 ticks per
// second are averaged as long as 20 are.

#include "session/time/pace.h"

#include <string.h>

/// Advantage in ticks from which on the policy `stall` stalls.
#define STALL_FROM_TICKS 0.75

/// Largest share by which the policy `slew` makes ticks longer. Half of the advantage is given up
/// in a span.
#define SLEW_MAX 0.02

/// Times over which lags are averaged: 100 ticks of 60 Hz [INVERSUS, Advantage Smoothing]. Some
/// short spans come first after the start, after a freeze and far from level, because the
/// correction is largest at these times. The first span begins once earlier packets have been
/// answered.
#define SPAN_NS       (NS_PER_SECOND * 5 / 3)
#define SHORT_SPAN_NS (NS_PER_SECOND / 3)
#define SHORT_SPANS   5u
#define SHORT_FROM_NS ((double)NS_PER_SECOND / 60.0)
#define SETTLE_NS     (50.0 * NS_PER_MS)
#define SETTLE_NS_MAX (10.0 * NS_PER_SECOND)

/// Time without inputs of a peer that shows a freeze of that peer.
#define FREEZE_NS (200 * NS_PER_MS)

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

void bksi_pace_head(session_pace *pace, const session_common *common, uint32_t index,
                    bks_tick known, bks_tick head)
{
    session_pace_peer *peer = &pace->peers[index];
    if (head < known) {
        return; // the message was overtaken by a newer one
    }
    if (common->now_ns - peer->head_ns > FREEZE_NS) {
        peer->back_ns = common->now_ns;
    }
    peer->head_ns = common->now_ns;
    peer->moved_ns = head > known ? common->now_ns : peer->moved_ns;
}

/// Return true if a peer's head is moving. A head may stand still for a tick, because not every
/// packet has a new head if ticks are longer than the gaps between packets.
static bool is_moving(const session_pace *pace, const session_common *common, uint32_t index)
{
    const session_pace_peer *peer = &pace->peers[index];
    return (double)(peer->head_ns - peer->moved_ns) <= bksi_common_tick_ns(common);
}

void bksi_pace_heard(session_pace *pace, const session_common *common, uint32_t index, bks_tick lag)
{
    // Limit the lag that a peer claims: no window lets a peer run further ahead.
    bks_tick most = (bks_tick)(common->config.tuning.window_ticks + pace->delay.now) + 1;
    lag = lag < -most ? -most : lag;
    if (pace->span_ticks >= 0) {
        note(&pace->peers[index].remote_lag, lag);
    }
}

void bksi_pace_sent(session_pace *pace, uint32_t index, bks_tick lag)
{
    if (pace->span_ticks >= 0) {
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
    bksi_input_delay_begin_span(&pace->delay);
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

/// Begin to average anew, once packets sent from now on have been answered. Earlier lags do not
/// count any more.
static void begin_afresh(session_pace *pace, const session_common *common)
{
    double settle_ns = worst_round_trip_ns(common) + SETTLE_NS;
    settle_ns = settle_ns < SETTLE_NS_MAX ? settle_ns : SETTLE_NS_MAX;
    begin_span(pace, common);
    pace->span_ticks = -(int32_t)(settle_ns / bksi_common_tick_ns(common) + 0.5);
    pace->short_spans = SHORT_SPANS;
    pace->stall_queue = 0;
    choose_slew(pace, 0.0);
}

/// Get the length of a span in ticks, at least one.
static int32_t span_length(const session_pace *pace, const session_common *common)
{
    double span_ns = (double)(pace->short_spans > 0 ? SHORT_SPAN_NS : SPAN_NS);
    int32_t ticks = (int32_t)(span_ns / bksi_common_tick_ns(common) + 0.5);
    return ticks > 1 ? ticks : 1;
}

/// Get the mean advantage over all peers, in ticks. The mean gives a liar no more weight than its
/// share; the largest advantage may come from a line that is slow in one direction only. With two
/// peers only the advantage over the other peer counts. With more peers we count ourselves too, so
/// that the mean of all peers does not drift. Each advantage is counted for the statistics.
static double mean_advantage(session_pace *pace, const session_common *common)
{
    double sum = 0.0;
    uint32_t count = 0;
    int32_t length = span_length(pace, common);
    EACH_PEER (i, bksi_common_others(common)) {
        const session_pace_peer *peer = &pace->peers[i];
        if (peer->local_lag.span_count == 0 || peer->remote_lag.span_count == 0) {
            continue;
        }
        double advantage = (span_mean(&peer->local_lag) - span_mean(&peer->remote_lag)) / 2.0;
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
    bksi_input_delay_start(&pace->delay, common, worst_round_trip_ns(common) / 2.0);
    begin_afresh(pace, common);
}

static void end_span(session_pace *pace, const session_common *common)
{
    double advantage = mean_advantage(pace, common);
    double tick_ns = bksi_common_tick_ns(common);
    pace->short_spans -= pace->short_spans > 0 ? 1 : 0;
    if (pace->short_spans == 0 && advantage * tick_ns >= SHORT_FROM_NS) {
        pace->short_spans = 1;
    }
    session_lags lags = worst_lags(pace, common);
    bksi_input_delay_choose(&pace->delay, common, &lags, pace->short_spans <= 1);
    if (common->config.tuning.pace == BKS_PACE_STALL && advantage >= STALL_FROM_TICKS) {
        pace->stall_queue = advantage < 1.5 ? 1 : (uint32_t)(advantage + 0.5);
    }
    double slew = advantage / (2.0 * span_length(pace, common));
    if (common->config.tuning.pace == BKS_PACE_SLEW) {
        choose_slew(pace, slew > SLEW_MAX ? SLEW_MAX : slew);
    }
    begin_span(pace, common);
}

static bks_tick least_head_of_others(const session_common *common)
{
    bks_tick least = INT32_MAX;
    EACH_PEER (i, bksi_common_others(common)) {
        bks_tick head = bksi_common_head(common, i);
        least = head < least ? head : least;
    }
    return least;
}

static void pass_tick(session_pace *pace, const session_common *common, uint32_t ticks)
{
    bksi_input_delay_pass_tick(&pace->delay, common, ticks, least_head_of_others(common),
                               pace->span_ticks >= 0);
    // Do not end a span while ticks are still to be stalled, because the next span would measure
    // the same advantage again.
    if (++pace->span_ticks >= span_length(pace, common) && pace->stall_queue == 0) {
        end_span(pace, common);
    }
}

bool bksi_pace_tick(session_pace *pace, const session_common *common, uint32_t due)
{
    pass_tick(pace, common, due + 1);
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

bool bksi_pace_starve(session_pace *pace, const session_common *common, uint32_t asked)
{
    pass_tick(pace, common, pace->starved_for + 2);
    bool is_raised = bksi_input_delay_starve(&pace->delay, asked);
    pace->starved_for += is_raised ? 0 : 1;
    return is_raised;
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
/// peer whose line became slower sends all the while, so its lags are true and the input delay
/// follows them.
static bool was_for_a_freeze(const session_pace *pace, const session_common *common,
                             uint64_t starved_ns)
{
    if ((double)starved_ns > worst_round_trip_ns(common) + (double)NS_PER_SECOND) {
        return true;
    }
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        const session_pace_peer *peer = &pace->peers[i];
        const bool is_silent = common->now_ns - peer->head_ns > FREEZE_NS;
        if (peer->back_ns >= common->now_ns - starved_ns ||
            (is_silent && peer->head_ns >= pace->woke_ns)) {
            return true;
        }
    }
    return false;
}

void bksi_pace_resume(session_pace *pace, const session_common *common, uint64_t starved_ns)
{
    const bool is_afresh = starved_ns > FREEZE_NS && was_for_a_freeze(pace, common, starved_ns);
    note_wake(pace, common);
    if (is_afresh) {
        begin_afresh(pace, common);
    }
    pace->starved_for = 0;
}

/// Estimate a peer's current head: its newest known head plus the ticks since then at its rate. A
/// peer that has used up its window stands still until it hears that we are back, and its packets
/// take the same time to us. Being that far behind its head counts as level.
static double estimated_head(const session_pace *pace, const session_exchange *exchange,
                             const session_common *common, uint32_t index, double interval_ns)
{
    double way_ns = bksi_links_round_trip_ns(&common->links, index) / 2.0;
    bks_tick need = exchange->peers[index].first_missing;
    double left_ns = way_ns - (double)(common->now_ns - pace->woke_ns);
    double left = (left_ns < -way_ns ? -way_ns : left_ns) / interval_ns;
    bks_tick known = need > pace->woke_head ? need : pace->woke_head;
    double stop = (double)known + common->config.tuning.window_ticks + pace->delay.now + 1 - left;
    double head = bksi_common_head(common, index);
    if (is_moving(pace, common, index)) {
        head += ((double)(common->now_ns - pace->peers[index].moved_ns) + way_ns) / interval_ns;
    } else {
        head -= left;
    }
    return head < stop ? head : stop;
}

/// Get the ticks by which we are behind the slowest peer that was heard since our freeze ended, at
/// most the ticks that the freeze cost; negative: no peer was heard.
static double ticks_behind(const session_pace *pace, const session_exchange *exchange,
                           const session_common *common, double interval_ns, uint32_t due)
{
    double head = (double)bksi_common_own_head(common) + due;
    double behind = pace->forgotten_ticks;
    bool heard_any = false;
    EACH_PEER (i, bksi_common_others(common)) {
        uint64_t heard_ns = pace->peers[i].head_ns + (uint64_t)interval_ns;
        if (heard_ns < pace->woke_ns) {
            continue;
        }
        double ahead = estimated_head(pace, exchange, common, i, interval_ns) - head;
        ahead = ahead < 0.0 ? 0.0 : ahead;
        behind = ahead < behind ? ahead : behind;
        heard_any = true;
    }
    return heard_any ? behind : -1.0;
}

uint32_t bksi_pace_catch_up(session_pace *pace, const session_exchange *exchange,
                            const session_common *common, double interval_ns, uint32_t due,
                            uint32_t room)
{
    double behind = ticks_behind(pace, exchange, common, interval_ns, due);
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
