// SPDX-License-Identifier: MIT

// Answers of the session to its owner and to the rooms above.

#include "session/queries.h"

#include <string.h>

#include "base/report.h"
#include "session/session_internal.h"

uint32_t bks_session_slots(const bks_session *session)
{
    BKSI_REFUSE_NULL_OR(0, session);
    return bksi_rollback_slots(&session->common.engine);
}

uint32_t bks_session_kept_slots(const bks_session *session)
{
    BKSI_REFUSE_NULL_OR(0, session);
    return bksi_rollback_kept_slots(&session->common.engine);
}

bks_tick bks_session_tick(const bks_session *session)
{
    BKSI_REFUSE_NULL_OR(0, session);
    return bksi_rollback_front(&session->common.engine);
}

bks_tick bks_session_confirmed(const bks_session *session)
{
    BKSI_REFUSE_NULL_OR(0, session);
    return bksi_rollback_confirmed(&session->common.engine);
}

bks_tick bks_session_published(const bks_session *session)
{
    BKSI_REFUSE_NULL_OR(BKS_TICK_NONE, session);
    return bksi_rollback_published(&session->common.engine);
}

bks_status bks_session_hash(const bks_session *session, bks_tick tick, uint64_t *out_hash)
{
    static const char call[] = "bks_session_hash";
    BKSI_REFUSE_NULL(NULL, session);
    BKSI_REFUSE_NULL(NULL, out_hash);
    const bks_tick first = session->common.seats.first_tick;
    if (tick < first) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d..%d",
                         (int)tick, (int)first,
                         (int)bksi_rollback_published(&session->common.engine));
    }
    if (tick > bksi_rollback_published(&session->common.engine)) {
        return BKS_ERR_NOT_CONFIRMED;
    }
    const bksi_tick_hash *own = bksi_rollback_hash(&session->common.engine, tick);
    if (own == NULL) {
        return BKS_ERR_TICK_TOO_OLD;
    }
    *out_hash = own->state;
    return BKS_OK;
}

bks_status bks_session_inputs(const bks_session *session, bks_tick tick, int32_t *values)
{
    static const char call[] = "bks_session_inputs";
    BKSI_REFUSE_NULL(NULL, session);
    BKSI_REFUSE_NULL(NULL, values);
    const bks_tick first = bksi_rollback_first(&session->common.engine);
    const bks_tick most = bksi_rollback_front(&session->common.engine) + BKS_WINDOW_MAX;
    if (tick < first || tick > most) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d..%d",
                         (int)tick, (int)first, (int)most);
    }
    const bksi_rollback *engine = &session->common.engine;
    for (uint32_t p = 0; p < session->common.seats.players; p++) {
        bool is_known = tick < bksi_rollback_head(engine, p);
        if (is_known && !bksi_rollback_holds(engine, p, tick)) {
            return BKS_ERR_TICK_TOO_OLD;
        }
    }
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bksi_rollback_inputs(engine, tick, packed);
    for (uint32_t p = 0; p < session->common.seats.players; p++) {
        bksi_layout_unpack(&session->common.layout,
                           packed + (size_t)p * session->common.layout.bytes,
                           values + (size_t)p * session->common.layout.field_count);
    }
    return BKS_OK;
}

bool bksi_session_event_after(const bks_session *session, uint64_t *number, bks_event *event)
{
    return bksi_events_after(&session->common.events, number, event);
}

uint32_t bksi_session_delay(const bks_session *session)
{
    return session->tempo.pace.delay.now;
}

uint64_t bksi_session_step_ns(const bks_session *session)
{
    return (uint64_t)session->tempo.budget.costs[BKS_OP_STEP].mean_ns;
}

uint64_t bksi_session_next_tick(const bks_session *session, double *out_interval_ns,
                                bool *out_is_last)
{
    const bks_tick end = bksi_common_end(&session->common);
    *out_is_last = end > 0 && bksi_rollback_front(&session->common.engine) >= end;
    return bksi_clock_next(&session->clock, out_interval_ns);
}

uint32_t bksi_session_window(const bks_session *session)
{
    return session->common.config.tuning.window_ticks;
}

uint32_t bksi_session_unsettled_max(const bks_session *session)
{
    const session_common *common = &session->common;
    const uint32_t held = common->seats.on_desync == BKS_ON_DESYNC_RESYNC ? BKSI_HELD_TICKS_MAX : 0;
    return bksi_session_window(session) + held;
}

uint32_t bksi_session_peers(const bks_session *session)
{
    return session->common.seats.all;
}

bool bksi_session_address(const bks_session *session, uint32_t peer, bks_address *out)
{
    const session_common *common = &session->common;
    const bool is_other = peer < BKS_PEERS_MAX && peer != common->seats.self;
    const bool is_member = is_other && bksi_common_has(common, peer);
    *out = is_member ? bksi_guard_proven_address(&common->guard, common->seats.peers[peer].channel)
                     : (bks_address){0};
    return out->length > 0;
}

bks_tick bksi_session_settled(const bks_session *session)
{
    return bksi_rollback_settled(&session->common.engine);
}

int32_t bksi_session_slot(const bks_session *session, bks_tick from, bks_tick until, bks_tick *tick)
{
    return bksi_rollback_surest(&session->common.engine, from, until, tick);
}

bool bksi_session_hash_of(const bks_session *session, uint32_t peer, bks_tick tick,
                          uint64_t *out_hash)
{
    const uint32_t others = bksi_common_others(&session->common);
    return bksi_checking_hash_of(&session->checking,
                                 peer == session->common.seats.self ? others : PEER_BIT(peer), tick,
                                 out_hash);
}

bool bksi_session_is_cramped(const bks_session *session)
{
    EACH_PEER (i, bksi_common_others(&session->common)) {
        if (bksi_links_is_cramped(&session->common.links, i)) {
            return true;
        }
    }
    return false;
}

bool bksi_session_has_stopped(const bks_session *session)
{
    return bksi_phase_seen(&session->common.phase) == BKS_PHASE_ENDED &&
           !session->common.goodbyes.has_left && session->common.ending.tick > 0;
}

uint32_t bksi_session_kept_slot(const bks_session *session, bks_tick tick)
{
    return bksi_rollback_find_kept(&session->common.engine, tick);
}

const bksi_rollback *bksi_session_engine(const bks_session *session)
{
    return &session->common.engine;
}

uint32_t bksi_session_came_from(const bks_session *session)
{
    return session->packets.from;
}

uint32_t bksi_session_went_to(const bks_session *session)
{
    return session->packets.to;
}

const char *bksi_session_problem(const bks_session *session)
{
    return session->failure.is_final ? session->failure.problem : "";
}

const uint8_t *bksi_session_step_packed(const bks_session *session)
{
    BKS_ASSERT(session->has_op);
    BKS_ASSERT(session->op.kind == BKS_OP_STEP);
    return bksi_rollback_step_inputs(&session->common.engine);
}

void bksi_session_packed(const bks_session *session, bks_tick tick, uint8_t *packed)
{
    bksi_rollback_inputs(&session->common.engine, tick, packed);
}

uint32_t bksi_session_window_max(const bks_session *session)
{
    return session->common.config.tuning.window_ticks;
}

bool bksi_session_commands(const bks_session *session, bks_tick tick,
                           bks_commands commands[BKS_PLAYERS_MAX])
{
    const bksi_rollback *engine = &session->common.engine;
    bool has_any = false;
    for (uint32_t p = 0; bksi_rollback_has_commands(engine) && p < session->common.seats.players;
         p++) {
        commands[p] = bksi_rollback_commands(engine, p, tick);
        has_any |= commands[p].count > 0;
    }
    return has_any;
}

bool bksi_session_has_room_for(const bks_session *session, uint32_t local_player, uint32_t count)
{
    return bksi_rollback_has_room_for(&session->common.engine, local_player, count);
}

bool bksi_session_advances(const bks_session *session)
{
    return bksi_rollback_advances(&session->common.engine);
}

bks_status bks_session_status(const bks_session *session)
{
    BKSI_REFUSE_NULL(NULL, session);
    switch (bksi_phase_seen(&session->common.phase)) {
    case BKS_PHASE_GATHERING:
    case BKS_PHASE_RUNNING:
        return BKS_OK;
    case BKS_PHASE_ENDED:
        return session->checking.has_desynced || session->common.ending.tick > 0 ? BKS_ERR_DESYNC
                                                                                 : BKS_OVER;
    case BKS_PHASE_FAILED:
        break;
    }
    if (session->failure.is_final) {
        return BKS_ERR_GAME;
    }
    bool is_refused = bksi_rollback_published(&session->common.engine) == BKS_TICK_NONE &&
                      !session->lobby.refusal.has_lost_host && !session->views.is_dropped;
    return is_refused ? BKS_ERR_REFUSED : BKS_ERR_PEER_LOST;
}

static void write_speed(const session_game_speed *speed, bks_roster *out)
{
    out->speed_percent = bksi_game_speed_percent(speed);
    out->is_paused = speed->is_paused;
    if (speed->is_paused) {
        out->paused_by = speed->paused_by;
        out->paused_tick = speed->paused_tick;
    }
}

bks_status bks_session_roster(const bks_session *session, bks_roster *out)
{
    BKSI_REFUSE_NULL(NULL, session);
    BKSI_REFUSE_NULL(NULL, out);
    memset(out, 0, sizeof(*out));
    out->players = session->common.seats.players;
    out->self = session->common.seats.self;
    out->seed = session->common.seats.seed;
    out->first_tick = session->common.seats.first_tick;
    out->ticks = bksi_seats_ticks(&session->common.seats);
    out->on_desync = session->common.seats.on_desync;
    out->paused_tick = BKS_TICK_NONE;
    out->speed_percent = 100;
    if (!bksi_phase_has_roster(&session->common.phase)) {
        return BKS_OK;
    }
    out->peers = bksi_seats_end(&session->common.seats);
    EACH_PEER (i, session->common.seats.all) {
        out->first_player[i] = session->common.seats.peers[i].first_player;
        out->player_count[i] = session->common.seats.peers[i].player_count;
        out->is_in[i] = bksi_common_has(&session->common, i);
        out->end[i] = bksi_membership_end(&session->common.membership, i);
    }
    out->host = bksi_membership_host(&session->common.membership);
    out->view = session->common.membership.view;
    out->is_minority = bksi_membership_is_minority(&session->common.membership);
    write_speed(&session->common.game_speed, out);
    return BKS_OK;
}

bks_status bks_session_difference(const bks_session *session, bks_difference *out)
{
    BKSI_REFUSE_NULL(NULL, session);
    BKSI_REFUSE_NULL(NULL, out);
    const bks_difference *found = bksi_descent_found(&session->descent);
    if (found == NULL) {
        return BKS_ERR_NOT_CONFIRMED;
    }
    *out = *found;
    return BKS_OK;
}

uint32_t bks_session_repairs(const bks_session *session, bks_repair *out, uint32_t capacity)
{
    if (session == NULL || (out == NULL && capacity > 0)) {
        (void)bksi_fail_null(NULL, "bks_session_repairs", session == NULL ? "session" : "out");
        return 0;
    }
    const session_repairs *repairs = &session->common.repairs;
    uint32_t count = repairs->count < BKS_REPAIRS_MAX ? (uint32_t)repairs->count : BKS_REPAIRS_MAX;
    count = count < capacity ? count : capacity;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = repairs->ring[(repairs->count - count + i) % BKS_REPAIRS_MAX];
    }
    return count;
}

static double mean_of(double sum, uint64_t count)
{
    return count == 0 ? 0.0 : sum / (double)count;
}

static bks_link_stats link_stats(const bks_session *session, uint32_t peer)
{
    const session_link *link = &session->common.links.peers[peer];
    const session_pace_peer *pace = &session->tempo.pace.peers[peer];
    return (bks_link_stats){
        .has_peer = true,
        .round_trip_ms = link->link.round_trip_ns / 1e6,
        .round_trip_ms_mean = mean_of(link->trips_ns, link->trips) / 1e6,
        .jitter_ms = link->link.deviation_ns / 1e6,
        .loss = bksi_link_loss(&link->link),
        .packets_due = link->link.expected,
        .packets_came = link->link.received,
        .local_lag_mean = mean_of(pace->local_lag.sum, pace->local_lag.count),
        .remote_lag_mean = mean_of(pace->remote_lag.sum, pace->remote_lag.count),
        .local_lag = pace->local_lag.newest,
        .remote_lag = pace->remote_lag.newest,
        .packets_sent = link->packets_sent,
        .packets_received = link->packets_received,
        .bytes_sent = link->bytes_sent,
        .bytes_received = link->bytes_received,
        .packets_per_s = link->rate.rate,
        .waited_ticks = session->clock.waits[peer].ticks,
        .waited_ms = (double)session->clock.waits[peer].ns / 1e6,
        .capacity_bits_per_s = (double)bksi_line_capacity_bits_per_s(&link->line),
    };
}

bks_status bks_session_stats(const bks_session *session, bks_stats *out)
{
    BKSI_REFUSE_NULL(NULL, session);
    BKSI_REFUSE_NULL(NULL, out);
    memset(out, 0, sizeof(*out));
    out->packets_sent = session->packets.sent;
    out->payload_bytes_sent = session->packets.payload_bytes;
    out->seal_bytes_sent = session->packets.seal_bytes;
    out->packets_received = session->packets.received;
    out->packets_refused = session->packets.refused;
    out->connect_ns = session->connect_ns;
    const bksi_rollback_counts *counts = bksi_rollback_statistics(&session->common.engine);
    out->rollbacks = counts->rollbacks;
    out->rollback_depth_sum = counts->depth_sum;
    out->rollback_depth_max = counts->depth_max;
    out->resimulated = counts->resimulated;
    out->early_ends = counts->early_ends;
    out->early_end_ticks = counts->early_end_ticks;
    out->kept_lost = bksi_rollback_lost(&session->common.engine);
    out->link_count = bksi_seats_end(&session->common.seats);
    out->views = session->common.membership.view;
    out->handovers = session->common.membership.handovers;
    out->relayed = session->carriage.relayed;
    out->input_bytes_sent = session->exchange.input_bytes;
    out->starved_ticks = session->clock.starved_ticks;
    out->stalled_ticks = session->clock.stalled_ticks;
    out->advantage_abs_max = session->tempo.pace.advantage_abs_max;
    out->packets_forged = session->common.guard.counts.forged;
    out->packets_repeated = session->common.guard.counts.repeated;
    out->handshakes_limited = session->common.guard.counts.limited;
    out->address_changes = session->common.guard.counts.address_changes;
    lag_mean lag = {0};
    EACH_PEER (i, bksi_seats_others(&session->common.seats)) {
        const session_pace_peer *pace = &session->tempo.pace.peers[i];
        lag.sum += pace->local_lag.sum;
        lag.count += pace->local_lag.count;
        out->links[i] = link_stats(session, i);
    }
    out->save_spacing = (uint32_t)bksi_rollback_spacing(&session->common.engine);
    out->worst_update_ms = bksi_budget_worst_ns(&session->tempo.budget, &session->tempo.pace,
                                                &session->common, session->clock.interval_ns) /
                           1e6;
    out->budget_delay_ticks = session->tempo.budget.asks_delay.now;
    out->tick_stretch = (double)session->clock.stretch / BKSI_STRETCH_ONE;
    out->slowed_ticks = session->clock.stretched / BKSI_STRETCH_ONE;
    out->lag_mean = mean_of(lag.sum, lag.count);
    const session_pace *pace = &session->tempo.pace;
    out->input_delay = pace->delay.now;
    out->input_delay_mean = mean_of(pace->delay.sum, pace->delay.count);
    out->input_delay_max = pace->delay.most;
    bksi_evenness_write(&session->clock.evenness, &session->common, out);
    const session_game_speed *speed = &session->common.game_speed;
    const uint64_t paused_ns = speed->is_paused ? session->common.now_ns - speed->paused_ns : 0;
    out->paused_ms = (double)(speed->pauses_ns + paused_ns) / 1e6;
    out->advantage_abs_mean = mean_of(pace->advantage_sum, pace->advantage_count);
    return BKS_OK;
}

const void *bksi_session_setup(const bks_session *session, size_t *out_bytes)
{
    *out_bytes = session->lobby.start.setup_bytes;
    return session->common.seats.players > 0 ? session->lobby.start.setup : NULL;
}
