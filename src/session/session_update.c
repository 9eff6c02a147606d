// SPDX-License-Identifier: MIT

// Public calls: packets in and out, the order of an update, and the time of the next one.

#include "base/mutant.h"
#include "base/report.h"
#include "session/drive.h"
#include "session/packets.h"
#include "session/running_messages.h"
#include "session/session_internal.h"

bks_phase bks_session_phase(const bks_session *session)
{
    BKSI_REFUSE_NULL_OR(BKS_PHASE_FAILED, session);
    return bksi_phase_seen(&session->common.phase);
}

// ---- packets ----

/// Store the time that our owner passes to a function. Fail if operations of the last update are
/// not done yet, because an input that came now would count as confirmed before its tick is stepped
/// again with it.
static bks_status advance(bks_session *session, const char *call, uint64_t now_ns)
{
    if (now_ns < session->common.now_ns) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "now_ns",
                         "now_ns is %llu, must be at least %llu", (unsigned long long)now_ns,
                         (unsigned long long)session->common.now_ns);
    }
    if (session->is_updating) {
        return bksi_fail(
            NULL, BKS_ERR_BAD_ARGUMENT, call, "session",
            "the last update is not finished, carry on with bks_session_next() until it "
            "returns false");
    }
    const uint64_t gap_ns = now_ns - session->common.now_ns;
    session->common.awake_ns += gap_ns < AWAKE_GAP_MAX_NS ? gap_ns : AWAKE_GAP_MAX_NS;
    session->common.now_ns = now_ns;
    return BKS_OK;
}

bks_status bks_session_receive(bks_session *session, uint64_t now_ns, const bks_address *from,
                               const void *bytes, size_t count)
{
    static const char call[] = "bks_session_receive";
    if (session == NULL || from == NULL || (bytes == NULL && count > 0)) {
        return bksi_fail_null(NULL, call,
                              session == NULL ? "session"
                              : from == NULL  ? "from"
                                              : "bytes");
    }
    if (from->length > BKS_ADDRESS_BYTES_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "from",
                         "from->length is %u, must be 0..%d", from->length, BKS_ADDRESS_BYTES_MAX);
    }
    bks_status status = advance(session, call, now_ns);
    if (status == BKS_OK) {
        bksi_packets_receive(session, from, bytes, count);
    }
    return status;
}

size_t bks_session_send(bks_session *session, bks_address *to, void *bytes, size_t capacity)
{
    static const char call[] = "bks_session_send";
    BKSI_REFUSE_NULL_OR(0, session);
    BKSI_REFUSE_NULL_OR(0, to);
    BKSI_REFUSE_NULL_OR(0, bytes);
    if (capacity < BKS_PACKET_BYTES_MAX) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                        "capacity is %zu, must be at least %d", capacity, BKS_PACKET_BYTES_MAX);
        return 0;
    }
    return bksi_packets_send(session, to, bytes);
}

bool bks_session_event(bks_session *session, bks_event *event)
{
    BKSI_REFUSE_NULL_OR(false, session);
    BKSI_REFUSE_NULL_OR(false, event);
    return bksi_events_take(&session->common.events, event);
}

// ---- one update ----

/// Return true if a peer may still need our inputs, a leaver's inputs, or the newest view. If we
/// leave first and another peer leaves next, the peer can never get what it lacks.
static bool is_in_need(const bks_session *session, uint32_t index)
{
    return (bksi_common_awaited(&session->common) & PEER_BIT(index)) != 0 &&
           ((session->common.goodbyes.complete & PEER_BIT(index)) == 0 ||
            session->common.membership.peer_view[index] < session->common.membership.view);
}

/// End the match if we have every tick and no other peer needs anything more of us.
static void try_end(bks_session *session)
{
    if (!bksi_common_has_every_tick(&session->common)) {
        return;
    }
    bksi_goodbyes_complete(&session->common.goodbyes, session->common.seats.self);
    EACH_PEER (i, session->common.seats.all) {
        if (is_in_need(session, i) && !bksi_mutated(BKSI_MUTANT_END)) {
            return;
        }
    }
    bksi_checking_end(&session->checking, &session->common, &session->common.events);
    bksi_phase_end(&session->common.phase);
    bksi_goodbyes_owe(&session->common.goodbyes, bksi_common_others(&session->common));
    (void)bksi_events_raise(&session->common.events, BKS_EVENT_ENDED, session->common.seats.self,
                            bksi_common_end(&session->common));
}

static void start_running(bks_session *session)
{
    bksi_phase_enter(&session->common.phase, STAGE_RUNNING);
    session->connect_ns = session->common.now_ns - session->begun_ns;
    bksi_liveness_start(&session->inputs.liveness, &session->common);
    bksi_exchange_start_rates(&session->common.links, &session->common);
    bksi_pace_start(&session->tempo.pace, &session->common);
    bksi_clock_start(&session->clock, &session->tempo, &session->common,
                     session->lobby.host_clock.begin_ns);
    bksi_drive_start(session);
    bksi_start_report_builds(&session->common.events, &session->common);
    (void)bksi_events_raise(&session->common.events, BKS_EVENT_STARTED, session->common.seats.self,
                            session->common.seats.first_tick);
}

/// Watch silent peers. At the end of a match, when we and all peers that we still hear have every
/// tick of the match, we do not wait for a peer that has been silent for
/// bksi_liveness_patience_ns(), and may end without it. Before that only a ballot removes the
/// silent peer: another peer may lack its last inputs, and only the ballot brings them.
static void watch_silence(bks_session *session)
{
    const session_goodbyes *goodbyes = &session->common.goodbyes;
    uint32_t awaited = bksi_common_awaited(&session->common) & ~goodbyes->quit;
    uint32_t silent = bksi_liveness_update(&session->inputs.liveness, &session->common.events,
                                           &session->common, awaited);
    uint32_t heard = (awaited & ~silent) | PEER_BIT(session->common.seats.self);
    if ((heard & ~goodbyes->complete) == 0) {
        bksi_goodbyes_give_up(&session->common.goodbyes, silent);
    }
}

/// Put pauses and speeds in force whose tick has come.
static void follow_speed(bks_session *session)
{
    session_common *common = &session->common;
    if (common->game_speed.decision.number == 0 && common->game_speed.wish.number == 0) {
        return; // saves time: most matches have no pause
    }
    const uint32_t unheard =
        common->game_speed.is_paused ? bksi_liveness_unheard(&session->inputs.liveness, common) : 0;
    const session_speed_change change = bksi_game_speed_update(common, unheard);
    bksi_liveness_end_excuses(&session->inputs.liveness, common, change.no_excuses);
    if (change.has_changed) {
        bksi_clock_change_speed(&session->clock, &session->tempo, common, change.paused_ns);
    }
}

/// As the host with the policy `stop`, decide at which tick a match whose states differ ends.
static void stop_where_it_differs(bks_session *session)
{
    session_common *common = &session->common;
    if (common->seats.on_desync == BKS_ON_DESYNC_STOP && !bksi_mutated(BKSI_MUTANT_STOP_NEVER) &&
        bksi_membership_host(&common->membership) == common->seats.self &&
        bksi_checking_reported(&session->checking, common) != 0) {
        bksi_ending_decide(&common->ending, &common->seats, &common->events, &common->engine);
    }
}

/// Space the snapshots and stretch the ticks so that no update exceeds the budget.
static void keep_budget(bks_session *session)
{
    session_common *common = &session->common;
    session_budget *budget = &session->tempo.budget;
    const session_pace *pace = &session->tempo.pace;
    bks_tick spacing = bksi_budget_best_spacing(budget, pace, common, session->clock.interval_ns);
    bksi_rollback_space_slots(&common->engine, spacing);
    uint32_t stretch = bksi_budget_update(budget, pace, &common->events, common);
    if (stretch == 0 && session->clock.stretch > 0) {
        // Measure the rates anew: packets waited for a slow machine, as they do on a full line.
        EACH_PEER (i, bksi_budget_slow_ends(budget, common) & bksi_common_others(common)) {
            bksi_links_restart_rate(&common->links, i, common->now_ns);
        }
    }
    bksi_clock_stretch(&session->clock, common, stretch);
}

/// Choose the routes to all peers. If packets to a peer take a detour, a handshake tries the direct
/// route too.
static void choose_routes(bks_session *session)
{
    session_common *common = &session->common;
    const uint32_t before = session->routes.detours;
    if (!bksi_routes_update(&session->routes, common)) {
        return;
    }
    const uint32_t detours = session->routes.detours;
    bksi_lobby_greet_again(&session->lobby, common, detours & ~before);
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        bksi_guard_set_detour(&common->guard, common->seats.peers[i].channel, i,
                              (detours & PEER_BIT(i)) != 0);
    }
}

/// Adjust the lanes of commands, which wait for overdue inputs, and the owner's streams, which wait
/// for both.
static void update_streams(bks_session *session)
{
    session_common *common = &session->common;
    const uint32_t detours = session->routes.detours;
    const uint32_t overdue = bksi_exchange_overdue(&session->exchange, common);
    const uint32_t busy =
        bksi_rollback_has_commands(&common->engine)
            ? bksi_lane_update(&session->inputs.runs.lane, common,
                               bksi_exchange_inline_bytes(common), detours, overdue)
            : 0;
    bksi_bulk_streams_update(&session->bulk, common, detours, busy | overdue);
}

bks_status bks_session_update(bks_session *session, uint64_t now_ns)
{
    static const char call[] = "bks_session_update";
    BKSI_REFUSE_NULL(NULL, session);
    bks_status status = advance(session, call, now_ns);
    if (status != BKS_OK) {
        return status;
    }
    if (!session->has_begun) {
        session->has_begun = true;
        session->begun_ns = now_ns;
    }
    if (bksi_lobby_update(&session->lobby, &session->common, &session->inputs.liveness)) {
        start_running(session);
    }
    if (bksi_phase_is_running(&session->common.phase)) {
        follow_speed(session);
        watch_silence(session);
        if (session->clock.is_starving && !session->common.config.is_host) {
            bksi_connectivity_renew(
                &session->lobby.connectivity, &session->common.guard, &session->common,
                &session->inputs.liveness,
                bksi_routes_heard_by_others(&session->routes, &session->common));
        }
        bksi_checking_update(&session->checking, &session->common, &session->common.events);
        bksi_descent_update(&session->descent, &session->checking, &session->common);
        stop_where_it_differs(session);
        try_end(session);
        keep_budget(session);
        update_streams(session);
    }
    if (bksi_views_update(&session->views, &session->common, &session->inputs)) {
        bksi_checking_forget(&session->checking, &session->common);
    }
    bksi_clock_update(&session->clock, &session->tempo, &session->exchange, &session->common.events,
                      &session->common);
    choose_routes(session);
    if (!bksi_phase_is_in_lobby(&session->common.phase)) {
        bksi_owe_messages(session);
    }
    bksi_drive_begin(session);
    return BKS_OK;
}

/// Return true if a packet must be sent without waiting for a tick.
static bool is_urgent(const bks_session *session)
{
    const session_goodbyes *goodbyes = &session->common.goodbyes;
    if (goodbyes->owes_heard != 0 ||
        (goodbyes->owes_bye != 0 && bksi_phase_seen(&session->common.phase) == BKS_PHASE_FAILED)) {
        return true;
    }
    if (bksi_phase_is_in_lobby(&session->common.phase)) {
        return false;
    }
    return bksi_view_queue_peers(&session->views.queue) != 0;
}

static uint64_t wake_running(const bks_session *session)
{
    uint64_t tick_ns = bksi_clock_wake(&session->clock, &session->common);
    uint64_t packet_ns = bksi_exchange_wake(&session->exchange);
    uint64_t bulk_ns = bksi_bulk_streams_wake(&session->bulk, &session->common);
    uint64_t lane_ns =
        bksi_rollback_has_commands(&session->common.engine)
            ? bksi_bulk_streams_wake(&session->inputs.runs.lane.streams, &session->common)
            : UINT64_MAX;
    uint64_t wake_ns = tick_ns < packet_ns ? tick_ns : packet_ns;
    uint64_t stream_ns = bulk_ns < lane_ns ? bulk_ns : lane_ns;
    return wake_ns < stream_ns ? wake_ns : stream_ns;
}

static uint64_t wake_to_say_bye(const bks_session *session)
{
    const session_common *common = &session->common;
    const uint64_t patience_ns =
        bksi_liveness_longest_patience_ns(&session->inputs.liveness, common);
    bool is_over = bksi_goodbyes_are_enough(&common->goodbyes, common->now_ns, patience_ns) ||
                   bksi_common_awaited(common) == 0;
    return is_over ? UINT64_MAX : bksi_exchange_wake(&session->exchange);
}

static uint64_t wake_by_phase(const bks_session *session)
{
    switch (bksi_phase_seen(&session->common.phase)) {
    case BKS_PHASE_GATHERING:
        return bksi_lobby_wake(&session->lobby, &session->common);
    case BKS_PHASE_RUNNING:
        return wake_running(session);
    case BKS_PHASE_ENDED:
        return wake_to_say_bye(session);
    case BKS_PHASE_FAILED:
        if (session->common.goodbyes.has_left) {
            return wake_to_say_bye(session);
        }
        return bksi_lobby_wake(&session->lobby, &session->common);
    }
    return UINT64_MAX;
}

uint64_t bks_session_wake(const bks_session *session)
{
    BKSI_REFUSE_NULL_OR(UINT64_MAX, session);
    if (is_urgent(session)) {
        return session->common.now_ns;
    }
    uint64_t own_ns = wake_by_phase(session);
    uint64_t carried_ns = bksi_carriage_wake(&session->carriage, &session->common);
    return own_ns < carried_ns ? own_ns : carried_ns;
}

bks_status bks_session_drop(bks_session *session, uint32_t peer)
{
    static const char call[] = "bks_session_drop";
    BKSI_REFUSE_NULL(NULL, session);
    const session_common *common = &session->common;
    const uint32_t host = bksi_membership_host(&common->membership);
    if (!bksi_phase_is_running(&common->phase) || host != common->seats.self) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "session",
                         "only the host of a match that runs drops peers");
    }
    if (peer >= BKS_PEERS_MAX || (bksi_seats_others(&common->seats) & PEER_BIT(peer)) == 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "peer",
                         "peer is %u, must be another one of the roster", peer);
    }
    if (!bksi_common_has(common, peer)) {
        return BKS_ERR_PEER_LOST;
    }
    bksi_ballots_drop(&session->views.ballots, peer);
    return BKS_OK;
}

bks_status bks_session_leave(bks_session *session)
{
    BKSI_REFUSE_NULL(NULL, session);
    if (!bksi_phase_is_in_lobby(&session->common.phase) &&
        !bksi_phase_is_running(&session->common.phase)) {
        return BKS_OK;
    }
    session_common *common = &session->common;
    // Before the start a guest says goodbye to the host alone: the other guests learn of it from
    // the host.
    uint32_t others = bksi_common_others(common);
    bool is_early = !common->config.is_host && !bksi_phase_has_start(&common->phase);
    uint32_t guests = is_early ? others & ~PEER_BIT(0) : 0;
    bksi_goodbyes_leave(&common->goodbyes, others & ~guests, common->now_ns);
    bksi_goodbyes_give_up(&common->goodbyes, guests);
    bksi_phase_end(&common->phase);
    return BKS_OK;
}
