// SPDX-License-Identifier: MIT

// How fast time goes: nobody may run ahead of the others. Each peer measures how far it is ahead by
// the lags of both directions, averaged over a span, and gives up that much, either by passing
// ticks now and then or by making its ticks a little longer [INVERSUS, Frame Advantage to Stall
// Application]. The same span decides how many ticks of delay an input gets [INVERSUS, Dynamic
// Input Latency]. Whoever lost time in a freeze steps several ticks an update until it is level.

#include "session/session_internal.h"

#include <string.h>

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

/// Whoever waited longer waited for a freeze, and not for a packet.
#define FREEZE_NS (200 * NS_PER_MS)

/// In lockstep the delay suffices for all but one in so many ticks.
#define LOCKSTEP_MISS_ONE_IN 100u

/// Ticks between two changes of the input delay.
#define DELAY_CHANGE_GAP_TICKS 10u

/// The same while updates take too long: a sample without a step is rest.
#define PRESSING_GAP_TICKS 2u

/// Whether it is a peer to keep pace with.
static bool is_other(const bks_session *session, uint32_t index)
{
    return index != session->common.seats.self &&
           bksi_membership_has(&session->common.membership, index);
}

static void note(lag_mean *mean, bks_tick lag)
{
    mean->span_sum += lag;
    mean->span_count++;
    mean->sum += lag;
    mean->count++;
}

void bksi_pace_init(bks_session *session)
{
    uint32_t delay = session->common.config.tuning.delay_ticks;
    session->pace.delay = delay == BKS_AUTO ? 0 : delay;
    session->pace.delay_wanted = session->pace.delay;
}

void bksi_pace_head(bks_session *session, uint32_t index, bks_tick known, bks_tick head)
{
    session_pace_peer *peer = &session->pace.peers[index];
    if (head < known) {
        return; // overtaken by a newer one
    }
    peer->unmoved_heads = head > known ? 0 : peer->unmoved_heads + 1;
    peer->head_ns = session->common.now_ns;
}

/// Where ticks are longer than the gaps between packets, not every packet has a new head.
static bool is_moving(const bks_session *session, uint32_t index)
{
    return session->pace.peers[index].unmoved_heads * session->common.config.tick_rate_hz <=
           NS_PER_SECOND / SEND_GAP_MAX_NS;
}

void bksi_pace_heard(bks_session *session, uint32_t index, bks_tick lag)
{
    // No window lets anybody run further ahead, whatever is told.
    bks_tick most =
        (bks_tick)(session->common.config.tuning.window_ticks + session->pace.delay) + 1;
    lag = lag < -most ? -most : lag;
    if (session->pace.span_ticks >= 0) {
        note(&session->pace.peers[index].remote_lag, lag);
    }
}

void bksi_pace_sent(bks_session *session, uint32_t index, bks_tick lag)
{
    if (session->pace.span_ticks >= 0) {
        note(&session->pace.peers[index].local_lag, lag);
    }
}

static double span_mean(const lag_mean *mean)
{
    return mean->span_count == 0 ? 0.0 : mean->span_sum / mean->span_count;
}

static void begin_span(bks_session *session)
{
    session->pace.span_ticks = 0;
    memset(session->pace.needs, 0, sizeof(session->pace.needs));
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        session_pace_peer *peer = &session->pace.peers[i];
        peer->local_lag.span_sum = peer->remote_lag.span_sum = 0.0;
        peer->local_lag.span_count = peer->remote_lag.span_count = 0;
    }
}

static double worst_round_trip_ticks(const bks_session *session)
{
    double worst_ns = 0.0;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        double trip_ns = bksi_links_round_trip_ns(&session->common.links, i);
        worst_ns = is_other(session, i) && trip_ns > worst_ns ? trip_ns : worst_ns;
    }
    return worst_ns * session->common.config.tick_rate_hz / (double)NS_PER_SECOND;
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
static void begin_afresh(bks_session *session)
{
    double settle = worst_round_trip_ticks(session) + SETTLE_TICKS;
    begin_span(session);
    session->pace.span_ticks = -(int32_t)(settle < SETTLE_TICKS_MAX ? settle : SETTLE_TICKS_MAX);
    session->pace.short_spans = SHORT_SPANS;
    session->pace.stall_queue = 0;
    choose_slew(&session->pace, 0.0);
}

static int32_t span_length(const bks_session *session)
{
    return session->pace.short_spans > 0 ? SHORT_SPAN_TICKS : SPAN_TICKS;
}

/// The largest advantage over the peers, in ticks; each is counted for the statistics.
static double largest_advantage(bks_session *session)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        const session_pace_peer *peer = &session->pace.peers[i];
        if (!is_other(session, i) || peer->local_lag.span_count == 0 ||
            peer->remote_lag.span_count == 0) {
            continue;
        }
        double advantage = (span_mean(&peer->local_lag) - span_mean(&peer->remote_lag)) / 2.0;
        largest = advantage > largest ? advantage : largest;
        double absolute = advantage < 0.0 ? -advantage : advantage;
        session->pace.advantage_sum += absolute * span_length(session);
        session->pace.advantage_count += (uint64_t)span_length(session);
        if (absolute > session->pace.advantage_abs_max) {
            session->pace.advantage_abs_max = absolute;
        }
    }
    return largest;
}

static double worst_remote_lag(const bks_session *session)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        double lag = span_mean(&session->pace.peers[i].remote_lag);
        worst = is_other(session, i) && lag > worst ? lag : worst;
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
static uint32_t lockstep_delay(const bks_session *session, uint32_t delay)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= BKS_DELAY_MAX; i++) {
        count += session->pace.needs[i];
    }
    if (count == 0) {
        return delay;
    }
    uint32_t wanted = BKS_DELAY_MAX;
    uint32_t missed = 0;
    while (wanted > 0 && missed + session->pace.needs[wanted] <= count / LOCKSTEP_MISS_ONE_IN) {
        missed += session->pace.needs[wanted--];
    }
    return wanted + 1 == delay ? delay : wanted;
}

static void choose_delay(bks_session *session)
{
    if (session->common.config.tuning.delay_ticks != BKS_AUTO) {
        return;
    }
    if (session->common.config.tuning.window_ticks == 0) {
        session->pace.delay_wanted = lockstep_delay(session, session->pace.delay_wanted);
    } else if (session->pace.short_spans <= 1) {
        session->pace.delay_wanted =
            rollback_delay(session->pace.delay_wanted, worst_remote_lag(session));
    }
}

/// From half the worst round trip [INVERSUS, Dynamic Input Latency]; in lockstep nothing is known
/// of the lags yet.
static uint32_t first_delay(const bks_session *session)
{
    double ticks = worst_round_trip_ticks(session) / 2.0;
    if (session->common.config.tuning.window_ticks > 0) {
        return rollback_delay(0, ticks);
    }
    return ticks < BKS_DELAY_MAX - 2 ? (uint32_t)ticks + 2 : BKS_DELAY_MAX;
}

void bksi_pace_start(bks_session *session)
{
    if (session->common.config.tuning.delay_ticks == BKS_AUTO) {
        session->pace.delay_wanted = first_delay(session);
    }
    if (bksi_mutated(BKSI_MUTANT_NOISE)) {
        session->pace.delay_wanted += bksi_mutant_noise() % 3;
    }
    session->pace.delay = session->pace.delay_wanted;
    begin_afresh(session);
}

static void end_span(bks_session *session)
{
    double advantage = largest_advantage(session);
    session->pace.short_spans -= session->pace.short_spans > 0 ? 1 : 0;
    if (session->pace.short_spans == 0 && advantage >= SHORT_FROM_TICKS) {
        session->pace.short_spans = 1;
    }
    choose_delay(session);
    if (session->common.config.tuning.pace == BKS_PACE_STALL && advantage >= STALL_FROM_TICKS) {
        session->pace.stall_queue = advantage < 1.5 ? 1 : (uint32_t)(advantage + 0.5);
    }
    double slew = advantage / (2.0 * span_length(session));
    if (session->common.config.tuning.pace == BKS_PACE_SLEW) {
        choose_slew(&session->pace, slew > SLEW_MAX ? SLEW_MAX : slew);
    }
    begin_span(session);
}

/// The delay with which a tick could be stepped now, so many after the newest stepped.
static void note_need(bks_session *session, uint32_t ticks)
{
    bks_tick least = INT32_MAX;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        bks_tick head = bksi_heads_of(&session->common, i);
        least = is_other(session, i) && head < least ? head : least;
    }
    int64_t need =
        (int64_t)bksi_rollback_front(&session->common.engine) + ticks + session->pace.delay - least;
    need = need < 0 ? 0 : need > BKS_DELAY_MAX ? BKS_DELAY_MAX : need;
    if (session->pace.span_ticks >= 0) {
        session->pace.needs[need]++;
    }
}

static void pass_tick(bks_session *session, uint32_t ticks)
{
    note_need(session, ticks);
    session->pace.since_delay_change++;
    // What is still to be stalled would be found again.
    if (++session->pace.span_ticks >= span_length(session) && session->pace.stall_queue == 0) {
        end_span(session);
    }
}

bool bksi_pace_tick(bks_session *session, uint32_t due)
{
    pass_tick(session, due + 1);
    if (session->pace.stall_queue == 0) {
        return false;
    }
    uint32_t period = session->pace.stall_queue >= 10 ? 1 : 11 - session->pace.stall_queue;
    if (++session->pace.since_stall < period) {
        return false;
    }
    session->pace.since_stall = 0;
    if (--session->pace.stall_queue == 0) {
        begin_span(session);
    }
    return true;
}

/// As the lags want it, or the budget.
static uint32_t target_delay(const bks_session *session, uint32_t asked)
{
    return asked > session->pace.delay_wanted ? asked : session->pace.delay_wanted;
}

bool bksi_pace_starve(bks_session *session, uint32_t asked)
{
    session->pace.starved_for++;
    pass_tick(session, session->pace.starved_for + 1);
    if (session->pace.delay >= target_delay(session, asked)) {
        return false;
    }
    session->pace.starved_for--;
    session->pace.since_delay_change = 0;
    session->pace.delay++;
    return true;
}

static void note_wake(bks_session *session)
{
    session->pace.woke_ns = session->common.now_ns;
    session->pace.woke_head = bksi_heads_own(&session->common);
}

void bksi_pace_wake(bks_session *session, uint32_t missed)
{
    uint32_t known = session->pace.forgotten_ticks;
    session->pace.forgotten_ticks =
        missed < BKSI_MISSED_TICKS_MAX - known ? known + missed : BKSI_MISSED_TICKS_MAX;
    note_wake(session);
}

void bksi_pace_resume(bks_session *session, double interval_ns)
{
    note_wake(session);
    if (session->pace.starved_for * interval_ns > (double)FREEZE_NS) {
        begin_afresh(session);
    }
    session->pace.starved_for = 0;
}

int32_t bksi_pace_change_delay(bks_session *session, uint32_t asked)
{
    uint32_t wanted = target_delay(session, asked);
    bool is_pressing = asked > session->pace.delay;
    uint32_t gap = is_pressing ? PRESSING_GAP_TICKS : DELAY_CHANGE_GAP_TICKS;
    if (session->pace.delay == wanted || session->pace.since_delay_change < gap) {
        return 0;
    }
    session->pace.since_delay_change = 0;
    int32_t change = session->pace.delay < wanted ? 1 : -1;
    session->pace.delay += (uint32_t)change;
    return change;
}

/// Where a peer's head must be by now: what came last, and the way since if it goes on as it did.
/// With its window used up it stands still until it hears that we are back, and word of that takes
/// as long again: so far behind where it stands we are level.
static double estimated_head(const bks_session *session, uint32_t index, double interval_ns)
{
    double way_ns = bksi_links_round_trip_ns(&session->common.links, index) / 2.0;
    bks_tick need = bksi_exchange_need(&session->exchange, index);
    double left_ns = way_ns - (double)(session->common.now_ns - session->pace.woke_ns);
    double left = (left_ns < -way_ns ? -way_ns : left_ns) / interval_ns;
    bks_tick known = need > session->pace.woke_head ? need : session->pace.woke_head;
    double stop =
        (double)known + session->common.config.tuning.window_ticks + session->pace.delay + 1 - left;
    double head = bksi_heads_of(&session->common, index);
    if (is_moving(session, index)) {
        head += ((double)(session->common.now_ns - session->pace.peers[index].head_ns) + way_ns) /
                interval_ns;
    } else {
        head -= left;
    }
    return head < stop ? head : stop;
}

/// By how many ticks we are behind the slowest of those whom we have heard since we woke, at most
/// what the freeze cost; negative when we heard none.
static double ticks_behind(const bks_session *session, double interval_ns, uint32_t due)
{
    double head = (double)bksi_heads_own(&session->common) + due;
    double behind = session->pace.forgotten_ticks;
    bool heard_any = false;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        uint64_t heard_ns = session->pace.peers[i].head_ns + (uint64_t)interval_ns;
        if (!is_other(session, i) || heard_ns < session->pace.woke_ns) {
            continue;
        }
        double ahead = estimated_head(session, i, interval_ns) - head;
        ahead = ahead < 0.0 ? 0.0 : ahead;
        behind = ahead < behind ? ahead : behind;
        heard_any = true;
    }
    return heard_any ? behind : -1.0;
}

uint32_t bksi_pace_catch_up(bks_session *session, double interval_ns, uint32_t due, uint32_t room)
{
    double behind = ticks_behind(session, interval_ns, due);
    if (behind < 0.0) {
        return 0;
    }
    uint32_t extra = behind < room ? (uint32_t)(behind + 0.5) : room;
    session->pace.forgotten_ticks = behind < room ? 0 : session->pace.forgotten_ticks - extra;
    if (session->pace.forgotten_ticks == 0) {
        begin_afresh(session);
    }
    return extra;
}
