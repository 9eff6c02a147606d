// SPDX-License-Identifier: MIT

// How fast time goes: nobody may run ahead of the others. Each peer measures how far it is ahead by
// the lags of both directions, averaged over a span, and gives up that much, either by passing
// ticks now and then or by making its ticks a little longer [INVERSUS, Frame Advantage to Stall
// Application]. The same span decides how many ticks of delay an input gets [INVERSUS, Dynamic
// Input Latency]. Whoever lost time in a freeze steps several ticks an update until it is level.

#include "session/session_internal.h"

/// From this advantage on, in ticks, `stall` gives ticks up.
#define STALL_FROM_TICKS 0.75

/// `slew` takes half of the advantage back in a span, at most this share of a tick's length.
#define SLEW_MAX      0.02
#define SLEW_PER_TICK (1.0 / 200.0)

/// After a freeze a peer catches up until it is behind by less than this.
#define CATCH_UP_FROM_TICKS 2.0

/// Ticks between two changes of the input delay.
#define DELAY_CHANGE_GAP_TICKS 10u

void bksi_pace_note(lag_mean *mean, double lag)
{
    mean->span_sum += lag;
    mean->span_count++;
    mean->sum += lag;
    mean->count++;
}

static double span_mean(const lag_mean *mean)
{
    return mean->span_count == 0 ? 0.0 : mean->span_sum / mean->span_count;
}

void bksi_pace_begin_span(bks_session *session)
{
    session->span_ticks = 0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        session_peer *peer = &session->peers[i];
        peer->local_lag.span_sum = peer->remote_lag.span_sum = 0.0;
        peer->local_lag.span_count = peer->remote_lag.span_count = 0;
    }
}

/// Whether it is a peer to keep pace with.
static bool is_other(const bks_session *session, uint32_t index)
{
    return index != session->self && bksi_views_has(session, index);
}

/// The largest advantage over the peers, in ticks; each is counted for the statistics.
static double largest_advantage(bks_session *session)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        const session_peer *peer = &session->peers[i];
        if (!is_other(session, i) || peer->local_lag.span_count == 0 ||
            peer->remote_lag.span_count == 0)
            continue;
        double advantage = (span_mean(&peer->local_lag) - span_mean(&peer->remote_lag)) / 2.0;
        largest = advantage > largest ? advantage : largest;
        double absolute = advantage < 0.0 ? -advantage : advantage;
        session->advantage_sum += absolute;
        session->advantage_count++;
        if (absolute > session->stats.advantage_abs_max)
            session->stats.advantage_abs_max = absolute;
    }
    return largest;
}

static double worst_remote_lag(const bks_session *session)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        double lag = span_mean(&session->peers[i].remote_lag);
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
    while (wanted < 4 && lag >= up[wanted])
        wanted++;
    while (wanted > 0 && lag <= down[wanted - 1])
        wanted--;
    return wanted;
}

/// Lockstep waits for every input, so the delay covers the worst way with its jitter
/// [Synchronous RTS Engines, Inherent Latency].
static uint32_t lockstep_delay(const bks_session *session, uint32_t delay)
{
    double worst_ns = 0.0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        const bksi_link *link = &session->peers[i].link;
        double way_ns = link->round_trip_ns / 2.0 + 4.0 * link->deviation_ns;
        worst_ns = is_other(session, i) && way_ns > worst_ns ? way_ns : worst_ns;
    }
    double ticks = worst_ns * session->config.tick_rate_hz / (double)NS_PER_SECOND;
    uint32_t wanted = (uint32_t)ticks + 2;
    wanted = wanted > BKS_DELAY_MAX ? BKS_DELAY_MAX : wanted;
    return wanted + 1 == delay ? delay : wanted;
}

static void choose_delay(bks_session *session, double lag)
{
    if (session->config.delay_ticks != BKS_DELAY_AUTO)
        return;
    session->delay_wanted = session->config.window_ticks == 0
                                ? lockstep_delay(session, session->delay)
                                : rollback_delay(session->delay_wanted, lag);
}

void bksi_pace_start(bks_session *session)
{
    double worst_ns = 0.0;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        double trip_ns = session->peers[i].link.round_trip_ns;
        worst_ns = i != session->self && trip_ns > worst_ns ? trip_ns : worst_ns;
    }
    double ticks = worst_ns / 2.0 * session->config.tick_rate_hz / (double)NS_PER_SECOND;
    choose_delay(session, ticks);
    if (bksi_planted(BKSI_PLANT_NOISE))
        session->delay_wanted += bksi_plant_noise() % 3;
    session->delay = session->delay_wanted;
    bksi_pace_begin_span(session);
}

static void end_span(bks_session *session)
{
    double advantage = largest_advantage(session);
    choose_delay(session, worst_remote_lag(session));
    if (session->config.pace == BKS_PACE_STALL && advantage >= STALL_FROM_TICKS)
        session->stall_queue += advantage < 1.5 ? 1 : (uint32_t)(advantage + 0.5);
    double slew = session->config.pace == BKS_PACE_SLEW ? advantage * SLEW_PER_TICK : 0.0;
    bksi_clock_slew(session, slew > SLEW_MAX ? SLEW_MAX : slew);
    bksi_pace_begin_span(session);
}

bool bksi_pace_tick(bks_session *session)
{
    if (++session->span_ticks >= LAG_SPAN_TICKS)
        end_span(session);
    session->since_delay_change++;
    if (session->stall_queue == 0)
        return false;
    uint32_t period = session->stall_queue >= 10 ? 1 : 11 - session->stall_queue;
    if (++session->since_stall < period)
        return false;
    session->since_stall = 0;
    session->stall_queue--;
    return true;
}

int32_t bksi_pace_delay_step(bks_session *session)
{
    if (session->delay == session->delay_wanted ||
        session->since_delay_change < DELAY_CHANGE_GAP_TICKS)
        return 0;
    session->since_delay_change = 0;
    return session->delay < session->delay_wanted ? 1 : -1;
}

/// Where a peer's head must be by now: what came last, and the way since if it goes on as it did. A
/// peer that waits for us stands still.
static double estimated_head(const bks_session *session, uint32_t index)
{
    const session_peer *peer = &session->peers[index];
    double head = bksi_exchange_peer_head(session, index);
    if (!peer->is_moving)
        return head;
    double age_ns = (double)(session->now_ns - peer->input_ns) + peer->link.round_trip_ns / 2.0;
    double stop = peer->need + (double)session->config.window_ticks + session->delay + 1;
    head += age_ns / session->interval_ns;
    return stop < head ? stop : head;
}

uint32_t bksi_pace_catch_up(bks_session *session)
{
    if (session->forgotten_ticks == 0 || session->peer_count < 2)
        return 0;
    double behind = session->forgotten_ticks;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        if (!is_other(session, i))
            continue;
        double ahead = estimated_head(session, i) - bksi_exchange_own_head(session);
        behind = ahead < behind ? ahead : behind;
    }
    if (behind < CATCH_UP_FROM_TICKS) {
        session->forgotten_ticks = 0;
        bksi_pace_begin_span(session);
        return 0;
    }
    uint32_t extra = behind < DUE_TICKS_MAX ? (uint32_t)behind : DUE_TICKS_MAX;
    session->forgotten_ticks -= extra;
    return extra;
}
