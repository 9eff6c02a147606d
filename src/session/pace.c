// SPDX-License-Identifier: MIT

// How fast time goes: no peer may run ahead of the others. Each peer measures how far it is ahead
// by the lags of both directions, averaged over a span, and gives up that much, either by passing
// ticks now and then or by making its ticks a little longer [INVERSUS, Frame Advantage to Stall
// Application]. The same span decides how many ticks of delay an input gets [INVERSUS, Dynamic
// Input Latency]. A peer that lost time in a freeze steps several ticks an update until it is
// level.

#include "session/pace.h"

#include <string.h>

#include "base/mutant.h"
#include "session/heads.h"

/// From this advantage on, in ticks, `stall` gives ticks up.
#define STALL_FROM_TICKS 0.75

/// `slew` takes half of the advantage back in a span, at most this share of a tick's length.
#define SLEW_MAX 0.02

/// Lags are averaged over this many ticks [INVERSUS, Advantage Smoothing]. After the start, after a
/// freeze and far from level there is most to mend: some short spans come first, once what was sent
/// before has been answered.
#define SPAN_TICKS       100
#define SHORT_SPAN_TICKS 20
#define SHORT_SPANS      5u
#define SHORT_FROM_TICKS 1.0
#define SETTLE_TICKS     3.0
#define SETTLE_TICKS_MAX 60.0

/// A longer wait was for a freeze, not for a packet.
#define FREEZE_NS (200 * NS_PER_MS)

/// In lockstep the delay suffices for all but one in this many ticks.
#define LOCKSTEP_MISS_ONE_IN 100u

/// Ticks between two changes of the input delay.
#define DELAY_CHANGE_GAP_TICKS 10u

/// The same while updates take too long: a sample without a step is rest.
#define PRESSING_GAP_TICKS 2u

/// Whether it is a peer to keep pace with.
static bool is_other(const session_common *common, uint32_t index)
{
    return index != common->seats.self && bksi_common_has(common, index);
}

static void note(lag_mean *mean, bks_tick lag)
{
    mean->span_sum += lag;
    mean->span_count++;
    mean->sum += lag;
    mean->count++;
}

void bksi_pace_init(session_pace *pace, const session_common *common)
{
    uint32_t delay = common->config.tuning.delay_ticks;
    pace->delay = delay == BKS_AUTO ? 0 : delay;
    pace->delay_wanted = pace->delay;
}

void bksi_pace_head(session_pace *pace, const session_common *common, uint32_t index,
                    bks_tick known, bks_tick head)
{
    session_pace_peer *peer = &pace->peers[index];
    if (head < known) {
        return; // overtaken by a newer one
    }
    peer->unmoved_heads = head > known ? 0 : peer->unmoved_heads + 1;
    peer->head_ns = common->now_ns;
}

/// Where ticks are longer than the gaps between packets, not every packet has a new head.
static bool is_moving(const session_pace *pace, const session_common *common, uint32_t index)
{
    return pace->peers[index].unmoved_heads * common->config.tick_rate_hz <=
           NS_PER_SECOND / SEND_GAP_MAX_NS;
}

void bksi_pace_heard(session_pace *pace, const session_common *common, uint32_t index, bks_tick lag)
{
    // No window lets a peer run further ahead, whatever it claims.
    bks_tick most = (bks_tick)(common->config.tuning.window_ticks + pace->delay) + 1;
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
    memset(pace->needs, 0, sizeof(pace->needs));
    for (uint32_t i = 0; i < common->seats.peer_count; i++) {
        session_pace_peer *peer = &pace->peers[i];
        peer->local_lag.span_sum = peer->remote_lag.span_sum = 0.0;
        peer->local_lag.span_count = peer->remote_lag.span_count = 0;
    }
}

static double worst_round_trip_ticks(const session_common *common)
{
    double worst_ns = 0.0;
    for (uint32_t i = 0; i < common->seats.peer_count; i++) {
        double trip_ns = bksi_links_round_trip_ns(&common->links, i);
        worst_ns = is_other(common, i) && trip_ns > worst_ns ? trip_ns : worst_ns;
    }
    return worst_ns * common->config.tick_rate_hz / (double)NS_PER_SECOND;
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

/// What came before says nothing of the pace any more, until what is sent now has been answered.
static void begin_afresh(session_pace *pace, const session_common *common)
{
    double settle = worst_round_trip_ticks(common) + SETTLE_TICKS;
    begin_span(pace, common);
    pace->span_ticks = -(int32_t)(settle < SETTLE_TICKS_MAX ? settle : SETTLE_TICKS_MAX);
    pace->short_spans = SHORT_SPANS;
    pace->stall_queue = 0;
    choose_slew(pace, 0.0);
}

static int32_t span_length(const session_pace *pace)
{
    return pace->short_spans > 0 ? SHORT_SPAN_TICKS : SPAN_TICKS;
}

/// The mean advantage over all, in ticks: the largest of them may be a line's that is slow in one
/// direction, and no liar has more weight than its share. With two peers the other one alone
/// counts, with more we count ourselves, too: so the mean of all peers stands still. Each is
/// counted for the statistics.
static double mean_advantage(session_pace *pace, const session_common *common)
{
    double sum = 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < common->seats.peer_count; i++) {
        const session_pace_peer *peer = &pace->peers[i];
        if (!is_other(common, i) || peer->local_lag.span_count == 0 ||
            peer->remote_lag.span_count == 0) {
            continue;
        }
        double advantage = (span_mean(&peer->local_lag) - span_mean(&peer->remote_lag)) / 2.0;
        sum += advantage;
        count++;
        double absolute = advantage < 0.0 ? -advantage : advantage;
        pace->advantage_sum += absolute * span_length(pace);
        pace->advantage_count += (uint64_t)span_length(pace);
        if (absolute > pace->advantage_abs_max) {
            pace->advantage_abs_max = absolute;
        }
    }
    if (sum <= 0.0) {
        return 0.0;
    }
    return sum / (count == 1 ? 1 : count + 1);
}

static double worst_remote_lag(const session_pace *pace, const session_common *common)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < common->seats.peer_count; i++) {
        double lag = span_mean(&pace->peers[i].remote_lag);
        worst = is_other(common, i) && lag > worst ? lag : worst;
    }
    return worst;
}

/// The state machine of the input delay: no quick back and forth [INVERSUS, Dynamic Input Latency].
static uint32_t rollback_delay(uint32_t delay, double lag)
{
    static const double up[] = {2.0, 3.0, 6.0, 8.0};
    static const double down[] = {1.0, 2.0, 5.0, 7.0};
    uint32_t wanted = delay > 4 ? 4 : delay;
    while (wanted < 4 && lag >= up[wanted]) {
        wanted++;
    }
    while (wanted > 0 && lag <= down[wanted - 1]) {
        wanted--;
    }
    return wanted;
}

/// Lockstep waits for every input. What was needed so that none would have been missed is counted
/// by ticks; the delay is the least that suffices nearly always [Supreme Commander, Inherent
/// Latency]. One tick to spare is kept rather than changed.
static uint32_t lockstep_delay(const session_pace *pace, uint32_t delay)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= BKS_DELAY_MAX; i++) {
        count += pace->needs[i];
    }
    if (count == 0) {
        return delay;
    }
    uint32_t wanted = BKS_DELAY_MAX;
    uint32_t missed = 0;
    while (wanted > 0 && missed + pace->needs[wanted] <= count / LOCKSTEP_MISS_ONE_IN) {
        missed += pace->needs[wanted--];
    }
    return wanted + 1 == delay ? delay : wanted;
}

static void choose_delay(session_pace *pace, const session_common *common)
{
    if (common->config.tuning.delay_ticks != BKS_AUTO) {
        return;
    }
    if (common->config.tuning.window_ticks == 0) {
        pace->delay_wanted = lockstep_delay(pace, pace->delay_wanted);
    } else if (pace->short_spans <= 1) {
        pace->delay_wanted = rollback_delay(pace->delay_wanted, worst_remote_lag(pace, common));
    }
}

/// From half the worst round trip [INVERSUS, Dynamic Input Latency]; in lockstep nothing is known
/// of the lags yet.
static uint32_t first_delay(const session_common *common)
{
    double ticks = worst_round_trip_ticks(common) / 2.0;
    if (common->config.tuning.window_ticks > 0) {
        return rollback_delay(0, ticks);
    }
    return ticks < BKS_DELAY_MAX - 2 ? (uint32_t)ticks + 2 : BKS_DELAY_MAX;
}

void bksi_pace_start(session_pace *pace, const session_common *common)
{
    if (common->config.tuning.delay_ticks == BKS_AUTO) {
        pace->delay_wanted = first_delay(common);
    }
    if (bksi_mutated(BKSI_MUTANT_NOISE)) {
        pace->delay_wanted += bksi_mutant_noise() % 3;
    }
    pace->delay = pace->delay_wanted;
    begin_afresh(pace, common);
}

static void end_span(session_pace *pace, const session_common *common)
{
    double advantage = mean_advantage(pace, common);
    pace->short_spans -= pace->short_spans > 0 ? 1 : 0;
    if (pace->short_spans == 0 && advantage >= SHORT_FROM_TICKS) {
        pace->short_spans = 1;
    }
    choose_delay(pace, common);
    if (common->config.tuning.pace == BKS_PACE_STALL && advantage >= STALL_FROM_TICKS) {
        pace->stall_queue = advantage < 1.5 ? 1 : (uint32_t)(advantage + 0.5);
    }
    double slew = advantage / (2.0 * span_length(pace));
    if (common->config.tuning.pace == BKS_PACE_SLEW) {
        choose_slew(pace, slew > SLEW_MAX ? SLEW_MAX : slew);
    }
    begin_span(pace, common);
}

/// The delay with which a tick could be stepped now, `ticks` ticks after the newest stepped one.
static void note_need(session_pace *pace, const session_common *common, uint32_t ticks)
{
    bks_tick least = INT32_MAX;
    for (uint32_t i = 0; i < common->seats.peer_count; i++) {
        bks_tick head = bksi_heads_of(common, i);
        least = is_other(common, i) && head < least ? head : least;
    }
    int64_t need = (int64_t)bksi_rollback_front(&common->engine) + ticks + pace->delay - least;
    need = need < 0 ? 0 : need > BKS_DELAY_MAX ? BKS_DELAY_MAX : need;
    if (pace->span_ticks >= 0) {
        pace->needs[need]++;
    }
}

static void pass_tick(session_pace *pace, const session_common *common, uint32_t ticks)
{
    note_need(pace, common, ticks);
    pace->since_delay_change++;
    // What is still to be stalled would be found again.
    if (++pace->span_ticks >= span_length(pace) && pace->stall_queue == 0) {
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

/// As the lags want it, or the budget.
static uint32_t target_delay(const session_pace *pace, uint32_t asked)
{
    return asked > pace->delay_wanted ? asked : pace->delay_wanted;
}

bool bksi_pace_starve(session_pace *pace, const session_common *common, uint32_t asked)
{
    pace->starved_for++;
    pass_tick(pace, common, pace->starved_for + 1);
    if (pace->delay >= target_delay(pace, asked)) {
        return false;
    }
    pace->starved_for--;
    pace->since_delay_change = 0;
    pace->delay++;
    return true;
}

static void note_wake(session_pace *pace, const session_common *common)
{
    pace->woke_ns = common->now_ns;
    pace->woke_head = bksi_heads_own(common);
}

void bksi_pace_wake(session_pace *pace, const session_common *common, uint32_t missed)
{
    uint32_t known = pace->forgotten_ticks;
    pace->forgotten_ticks =
        missed < BKSI_MISSED_TICKS_MAX - known ? known + missed : BKSI_MISSED_TICKS_MAX;
    note_wake(pace, common);
}

void bksi_pace_resume(session_pace *pace, const session_common *common, double interval_ns)
{
    note_wake(pace, common);
    if (pace->starved_for * interval_ns > (double)FREEZE_NS) {
        begin_afresh(pace, common);
    }
    pace->starved_for = 0;
}

int32_t bksi_pace_change_delay(session_pace *pace, uint32_t asked)
{
    uint32_t wanted = target_delay(pace, asked);
    bool is_pressing = asked > pace->delay;
    uint32_t gap = is_pressing ? PRESSING_GAP_TICKS : DELAY_CHANGE_GAP_TICKS;
    if (pace->delay == wanted || pace->since_delay_change < gap) {
        return 0;
    }
    pace->since_delay_change = 0;
    int32_t change = pace->delay < wanted ? 1 : -1;
    pace->delay += (uint32_t)change;
    return change;
}

/// Where a peer's head must be by now: its newest known head, and the ticks since then at its rate.
/// With its window used up it stands still until it hears that we are back, and its packets take as
/// long again: that far behind its head we are level.
static double estimated_head(const session_pace *pace, const session_exchange *exchange,
                             const session_common *common, uint32_t index, double interval_ns)
{
    double way_ns = bksi_links_round_trip_ns(&common->links, index) / 2.0;
    bks_tick need = bksi_exchange_need(exchange, index);
    double left_ns = way_ns - (double)(common->now_ns - pace->woke_ns);
    double left = (left_ns < -way_ns ? -way_ns : left_ns) / interval_ns;
    bks_tick known = need > pace->woke_head ? need : pace->woke_head;
    double stop = (double)known + common->config.tuning.window_ticks + pace->delay + 1 - left;
    double head = bksi_heads_of(common, index);
    if (is_moving(pace, common, index)) {
        head += ((double)(common->now_ns - pace->peers[index].head_ns) + way_ns) / interval_ns;
    } else {
        head -= left;
    }
    return head < stop ? head : stop;
}

/// By how many ticks we are behind the slowest of those whom we have heard since we woke, at most
/// what the freeze cost; negative when we heard none.
static double ticks_behind(const session_pace *pace, const session_exchange *exchange,
                           const session_common *common, double interval_ns, uint32_t due)
{
    double head = (double)bksi_heads_own(common) + due;
    double behind = pace->forgotten_ticks;
    bool heard_any = false;
    for (uint32_t i = 0; i < common->seats.peer_count; i++) {
        uint64_t heard_ns = pace->peers[i].head_ns + (uint64_t)interval_ns;
        if (!is_other(common, i) || heard_ns < pace->woke_ns) {
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
