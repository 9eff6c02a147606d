// SPDX-License-Identifier: MIT

// What the session answers to those who own it and to the rooms above.

#include <string.h>

#include "base/assert.h"
#include "base/report.h"
#include "session/queries.h"
#include "session/session_internal.h"

uint32_t bks_session_slots(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_slots", "session");
        return 0;
    }
    return session->engine.slots.count;
}

bks_tick bks_session_tick(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_tick", "session");
        return 0;
    }
    return session->engine.front;
}

bks_tick bks_session_confirmed(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_confirmed", "session");
        return 0;
    }
    return bksi_rollback_confirmed(&session->engine);
}

bks_status bks_session_inputs(const bks_session *session, bks_tick tick, int32_t *values)
{
    static const char call[] = "bks_session_inputs";
    if (session == NULL || values == NULL) {
        return bksi_fail_null(NULL, call, session == NULL ? "session" : "values");
    }
    if (tick < 0 || tick > session->engine.front + BKS_WINDOW_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be 0..%d",
                         (int)tick, (int)(session->engine.front + BKS_WINDOW_MAX));
    }
    const bksi_rollback *engine = &session->engine;
    for (uint32_t p = 0; p < session->seats.players; p++) {
        bool is_known = tick < bksi_rollback_head(engine, p);
        if (is_known && !bksi_rollback_holds(engine, p, tick)) {
            return BKS_ERR_TICK_TOO_OLD;
        }
    }
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bksi_rollback_inputs(engine, tick, packed);
    for (uint32_t p = 0; p < session->seats.players; p++) {
        bksi_layout_unpack(&session->layout, packed + (size_t)p * session->layout.bytes,
                           values + (size_t)p * session->layout.field_count);
    }
    return BKS_OK;
}

bool bksi_session_event_after(const bks_session *session, uint64_t *number, bks_event *event)
{
    // What was taken stays in its place until another one needs it.
    uint64_t oldest = session->events.raised > EVENTS_MAX ? session->events.raised - EVENTS_MAX : 0;
    *number = *number > oldest ? *number : oldest;
    if (*number >= session->events.raised) {
        return false;
    }
    *event = session->events.kept[*number % EVENTS_MAX];
    (*number)++;
    return true;
}

uint32_t bksi_session_delay(const bks_session *session)
{
    return session->pace.delay;
}

uint64_t bksi_session_step_ns(const bks_session *session)
{
    return (uint64_t)session->budget.costs[BKS_OP_STEP].mean_ns;
}

uint32_t bksi_session_peer_count(const bks_session *session)
{
    return session->seats.peer_count;
}

bks_tick bksi_session_settled(const bks_session *session)
{
    return session->engine.settled.tick;
}

int32_t bksi_session_slot(const bks_session *session, bks_tick from, bks_tick until, bks_tick *tick)
{
    const bksi_slots *slots = &session->engine.slots;
    const int32_t slot = bksi_slots_surest(slots, from, until);
    if (slot >= 0) {
        *tick = slots->ticks[slot];
    }
    return slot;
}

const char *bksi_session_problem(const bks_session *session)
{
    return session->failure.is_final ? session->failure.problem : "";
}

const uint8_t *bksi_session_step_packed(const bks_session *session)
{
    BKS_ASSERT(session->has_op);
    BKS_ASSERT(session->op.kind == BKS_OP_STEP);
    return bksi_rollback_step_inputs(&session->engine);
}

void bksi_session_packed(const bks_session *session, bks_tick tick, uint8_t *packed)
{
    bksi_rollback_inputs(&session->engine, tick, packed);
}

bool bksi_session_goes_on(const bks_session *session)
{
    return bksi_rollback_goes_on(&session->engine);
}

bks_status bks_session_roster(const bks_session *session, bks_roster *out)
{
    if (session == NULL || out == NULL) {
        return bksi_fail_null(NULL, "bks_session_roster", session == NULL ? "session" : "out");
    }
    memset(out, 0, sizeof(*out));
    out->players = session->seats.players;
    out->self = session->seats.self;
    out->seed = session->seats.seed;
    out->ticks = session->seats.ticks;
    if (session->lobby.stage == LOBBY_GATHERING) {
        return BKS_OK;
    }
    out->peers = session->seats.peer_count;
    for (uint32_t i = 0; i < session->seats.peer_count; i++) {
        out->first_player[i] = session->seats.peers[i].first_player;
        out->player_count[i] = session->seats.peers[i].player_count;
        out->is_in[i] = bksi_membership_has(session, i);
        out->end[i] = bksi_membership_end(session, i);
    }
    out->host = bksi_membership_host(session);
    out->view = session->membership.view;
    return BKS_OK;
}

static double mean_of(double sum, uint64_t count)
{
    return count == 0 ? 0.0 : sum / (double)count;
}

bks_status bks_session_stats(const bks_session *session, bks_stats *out)
{
    if (session == NULL || out == NULL) {
        return bksi_fail_null(NULL, "bks_stats", session == NULL ? "session" : "out");
    }
    memset(out, 0, sizeof(*out));
    out->packets_sent = session->packets.sent;
    out->payload_bytes_sent = session->packets.payload_bytes;
    out->seal_bytes_sent = session->packets.seal_bytes;
    out->packets_received = session->packets_in.received;
    out->packets_refused = session->packets_in.refused;
    out->connect_ns = session->connect_ns;
    const bksi_rollback_counts *counts = &session->engine.counts;
    out->rollbacks = counts->rollbacks;
    out->rollback_depth_sum = counts->depth_sum;
    out->rollback_depth_max = counts->depth_max;
    out->resimulated = counts->resimulated;
    out->early_ends = counts->early_ends;
    out->early_end_ticks = counts->early_end_ticks;
    out->link_count = session->seats.peer_count;
    out->views = session->membership.view;
    out->handovers = session->membership.handovers;
    out->forwarded = session->forwarding.forwarded;
    out->input_bytes_sent = session->exchange.input_bytes;
    out->starved_ticks = session->clock.starved_ticks;
    out->stalled_ticks = session->clock.stalled_ticks;
    out->advantage_abs_max = session->pace.advantage_abs_max;
    out->packets_forged = session->guard.counts.forged;
    out->packets_repeated = session->guard.counts.repeated;
    out->handshakes_limited = session->guard.counts.limited;
    out->address_changes = session->guard.counts.address_changes;
    lag_mean lag = {0};
    for (uint32_t i = 0; i < session->seats.peer_count; i++) {
        const session_link *link = &session->links.peers[i];
        const session_pace_peer *pace = &session->pace.peers[i];
        if (i == session->seats.self) {
            continue;
        }
        lag.sum += pace->local_lag.sum;
        lag.count += pace->local_lag.count;
        out->links[i] = (bks_link_stats){
            .round_trip_ms = link->link.round_trip_ns / 1e6,
            .jitter_ms = link->link.deviation_ns / 1e6,
            .loss = bksi_link_loss(&link->link),
            .local_lag_mean = mean_of(pace->local_lag.sum, pace->local_lag.count),
            .remote_lag_mean = mean_of(pace->remote_lag.sum, pace->remote_lag.count),
            .packets_sent = link->packets_sent,
            .packets_received = link->packets_received,
        };
    }
    out->save_spacing = (uint32_t)session->engine.slots.spacing;
    out->worst_update_ms = bksi_budget_worst_ns(session) / 1e6;
    out->budget_delay_ticks = bksi_budget_delay(session);
    out->tick_stretch = (double)session->clock.stretch / BKSI_STRETCH_ONE;
    out->slowed_ticks = session->clock.stretched / BKSI_STRETCH_ONE;
    out->lag_mean = mean_of(lag.sum, lag.count);
    out->input_delay_mean = mean_of(session->pace.delay_sum, session->pace.delay_count);
    out->advantage_abs_mean = mean_of(session->pace.advantage_sum, session->pace.advantage_count);
    return BKS_OK;
}
