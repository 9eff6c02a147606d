// SPDX-License-Identifier: MIT

// The session's public face: memory, packets by type, and one update's order.

#include "session/session_internal.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "session/session_config.h"

/// Room for a window to resimulate, the delays of both sides, and two seconds [Fiedler].
static uint32_t capacity_for(const bks_session_config *config)
{
    uint32_t wanted =
        2 * config->tuning.window_ticks + 2 * (BKS_DELAY_MAX + 1) + 2 * config->tick_rate_hz;
    uint32_t capacity = 2;
    while (capacity < wanted) {
        capacity *= 2;
    }
    return capacity;
}

static uint32_t timelines_for(const bks_session_config *config)
{
    return config->is_host ? config->players : BKS_PLAYERS_MAX;
}

static bks_status create_engine(bks_session *session, bks_error *error)
{
    const bks_session_config *config = &session->common.config;
    bksi_rollback_config engine = {
        .layout = &session->common.layout,
        .players_max = timelines_for(config),
        .capacity_ticks = capacity_for(config),
        .window_ticks = config->tuning.window_ticks,
        .save = config->tuning.save,
        .custom_prediction = config->custom_prediction,
        .votes = config->votes,
        .votes_bytes = config->votes_bytes,
        .allocator = config->allocator,
    };
    bks_status status = bksi_rollback_create(&session->common.engine, &engine, error);
    session->common.config.votes = NULL;
    return status == BKS_OK ? bksi_runs_create(&session->inputs.runs, &session->common.layout,
                                               engine.players_max, &config->allocator)
                            : status;
}

static void test_arithmetic(bksi_facts *facts)
{
    bksi_arithmetic_test(&facts->arithmetic);
    uint32_t op = bksi_arithmetic_compare(&facts->arithmetic, &bksi_arithmetic_right);
    if (op < BKSI_ARITHMETIC_OPS) {
        bksi_log(BKS_LOG_WARNING, "session.arithmetic",
                 "%s on this machine does not follow IEEE 754: peers whose results differ cannot "
                 "join",
                 bksi_arithmetic_name(op));
    }
    if (facts->game_arithmetic != 0) {
        bksi_log(BKS_LOG_WARNING, "session.game_arithmetic",
                 "the game `%s` %s; peers whose game does not are refused", facts->game,
                 bks_arithmetic_text(facts->game_arithmetic));
    }
}

static void prepare(bks_session *session, const bks_session_config *config)
{
    session->common.config = *config;
    session->common.facts = (bksi_facts){
        .protocol = BKSI_PROTOCOL_VERSION,
        .game_version = config->game_version,
        .layout = bksi_layout_hash(&session->common.layout),
        .setup_form = config->setup_form,
        .tick_rate_hz = config->tick_rate_hz,
    };
    (void)snprintf(session->common.facts.game, sizeof(session->common.facts.game), "%s",
                   config->game_name);
    session->common.facts.game_arithmetic = config->arithmetic & UINT16_MAX;
    test_arithmetic(&session->common.facts);
    session->common.config.setup = NULL;
    session->common.config.game_name = NULL;
    bksi_pace_init(&session->tempo.pace, &session->common);
    bksi_liveness_init(&session->inputs.liveness, config->tick_rate_hz);
    bksi_guard_init(&session->common.guard, config->key, config->identity, config->entropy);
    sodium_memzero(session->common.config.key, BKS_KEY_BYTES); // from here on they are the guard's
    sodium_memzero(session->common.config.identity, BKS_KEY_BYTES);
    sodium_memzero(session->common.config.entropy, BKS_KEY_BYTES);
    bksi_lobby_init(&session->lobby, &session->common, config);
}

bks_status bks_session_create(const bks_session_config *config, bks_session **out, bks_error *error)
{
    static const char call[] = "bks_session_create";
    if (config == NULL || out == NULL) {
        return bksi_fail_null(error, call, config == NULL ? "config" : "out");
    }
    *out = NULL;
    bks_status status = bksi_session_config_check(config, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_session *session = bksi_alloc(&config->allocator, sizeof(*session), 64);
    if (session == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "allocator",
                         "allocator has no %zu bytes", sizeof(*session));
    }
    session->common.config.allocator = config->allocator;
    status = bksi_layout_init(&session->common.layout, config->fields, config->field_count, error);
    if (status == BKS_OK) {
        prepare(session, config);
        status = create_engine(session, error);
        if (status == BKS_ERR_OUT_OF_MEMORY) {
            (void)bksi_fail(error, status, call, "allocator", "allocator has no room for %u ticks",
                            capacity_for(config));
        }
    }
    if (status != BKS_OK) {
        bks_session_destroy(session);
        return status;
    }
    *out = session;
    return BKS_OK;
}

void bks_session_destroy(bks_session *session)
{
    if (session == NULL) {
        return;
    }
    bks_allocator allocator = session->common.config.allocator;
    bksi_runs_destroy(&session->inputs.runs, &allocator);
    bksi_rollback_destroy(&session->common.engine);
    bksi_guard_wipe(&session->common.guard);
    bksi_free(&allocator, session, sizeof(*session));
}

bks_phase bks_session_phase(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_phase", "session");
        return BKS_PHASE_FAILED;
    }
    return bksi_phase_seen(&session->common.phase);
}

// ---- packets ----

static bks_status fail_updating(const char *call)
{
    return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "session",
                     "operations of the last update are left, carry out bks_session_next()");
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
    if (now_ns < session->common.now_ns) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "now_ns",
                         "now_ns is %llu, must be at least %llu", (unsigned long long)now_ns,
                         (unsigned long long)session->common.now_ns);
    }
    // What came in the midst would be confirmed before it could be resimulated.
    if (session->is_updating) {
        return fail_updating(call);
    }
    session->common.now_ns = now_ns;
    bksi_packets_receive(session, from, bytes, count);
    return BKS_OK;
}

size_t bks_session_send(bks_session *session, bks_address *to, void *bytes, size_t capacity)
{
    static const char call[] = "bks_session_send";
    if (session == NULL || to == NULL || bytes == NULL) {
        (void)bksi_fail_null(NULL, call, session == NULL ? "session" : to == NULL ? "to" : "bytes");
        return 0;
    }
    if (capacity < BKS_PACKET_BYTES_MAX) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "capacity",
                        "capacity is %zu, must be at least %d", capacity, BKS_PACKET_BYTES_MAX);
        return 0;
    }
    return bksi_packets_send(session, to, bytes);
}

bool bks_session_event(bks_session *session, bks_event *event)
{
    if (session == NULL || event == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_event", session == NULL ? "session" : "event");
        return false;
    }
    return bksi_events_take(&session->common.events, event);
}

// ---- one update ----

/// Whether a peer may still need something of us: its own inputs or another's, or word of the
/// newest view. Had we gone before it has everything, and then somebody else, it would be alone
/// with less than we have.
static bool is_in_need(const bks_session *session, uint32_t index)
{
    return (bksi_common_awaited(&session->common) & PEER_BIT(index)) != 0 &&
           ((session->common.goodbyes.complete & PEER_BIT(index)) == 0 ||
            session->common.membership.peer_view[index] < session->common.membership.view);
}

/// Over when everyone has everything.
static void try_end(bks_session *session)
{
    if (!bksi_packets_has_every_tick(session)) {
        return;
    }
    bksi_goodbyes_complete(&session->common.goodbyes, PEER_BIT(session->common.seats.self));
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if (is_in_need(session, i) && !bksi_mutated(BKSI_MUTANT_END)) {
            return;
        }
    }
    bksi_checking_end(&session->checking, &session->common);
    bksi_phase_end(&session->common.phase);
    bksi_goodbyes_owe(&session->common.goodbyes, bksi_common_others(&session->common));
    (void)bksi_events_raise(&session->common.events, BKS_EVENT_ENDED, session->common.seats.self,
                            session->common.seats.ticks);
}

static void start_running(bks_session *session)
{
    bksi_phase_run(&session->common.phase);
    session->connect_ns = session->common.now_ns - session->begun_ns;
    bksi_liveness_start(&session->inputs.liveness, &session->common);
    bksi_pace_start(&session->tempo.pace, &session->common);
    bksi_clock_start(&session->clock, &session->tempo, &session->common, session->lobby.start_ns);
    bksi_drive_start(session);
    bksi_start_tell_builds(&session->common);
    (void)bksi_events_raise(&session->common.events, BKS_EVENT_STARTED, session->common.seats.self,
                            0);
}

/// A peer that has every tick stops waiting for one that has been silent for drop_after_ms.
static void watch_silence(bks_session *session)
{
    uint32_t awaited = bksi_common_awaited(&session->common) & ~session->common.goodbyes.quit;
    uint32_t silent = bksi_liveness_update(&session->inputs.liveness, &session->common, awaited);
    if ((session->common.goodbyes.complete & PEER_BIT(session->common.seats.self)) != 0) {
        bksi_goodbyes_give_up(&session->common.goodbyes, silent);
    }
}

/// Snapshots lie, and ticks are as long, as no update takes too long with.
static void keep_budget(bks_session *session)
{
    session_common *common = &session->common;
    session_budget *budget = &session->tempo.budget;
    const session_pace *pace = &session->tempo.pace;
    bks_tick spacing = bksi_budget_best_spacing(budget, pace, common, session->clock.interval_ns);
    bksi_rollback_space_slots(&common->engine, spacing);
    uint32_t stretch = bksi_budget_update(budget, pace, common);
    bksi_clock_stretch(&session->clock, common, stretch);
}

bks_status bks_session_update(bks_session *session, uint64_t now_ns)
{
    static const char call[] = "bks_session_update";
    if (session == NULL) {
        return bksi_fail_null(NULL, call, "session");
    }
    if (now_ns < session->common.now_ns) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "now_ns",
                         "now_ns is %llu, must be at least %llu", (unsigned long long)now_ns,
                         (unsigned long long)session->common.now_ns);
    }
    if (session->is_updating) {
        return fail_updating(call);
    }
    session->common.now_ns = now_ns;
    if (!session->has_begun) {
        session->has_begun = true;
        session->begun_ns = now_ns;
    }
    if (bksi_lobby_update(&session->lobby, &session->common, &session->inputs.liveness)) {
        start_running(session);
    }
    if (bksi_phase_is_running(&session->common.phase)) {
        watch_silence(session);
        bksi_checking_update(&session->checking, &session->common);
        try_end(session);
        keep_budget(session);
    }
    if (bksi_views_update(&session->views, &session->common, &session->inputs)) {
        bksi_checking_forget(&session->checking, &session->common);
    }
    bksi_clock_update(&session->clock, &session->tempo, &session->exchange, &session->common);
    if (!bksi_phase_is_in_lobby(&session->common.phase)) {
        bksi_packets_owe(session);
    }
    bksi_drive_begin(session);
    return BKS_OK;
}

/// Whether something is to be sent without waiting for a tick.
static bool is_urgent(const bks_session *session)
{
    const session_goodbyes *goodbyes = &session->common.goodbyes;
    if (bksi_goodbyes_owe_answer(goodbyes) ||
        (bksi_goodbyes_owe_any(goodbyes) &&
         bksi_phase_seen(&session->common.phase) == BKS_PHASE_FAILED)) {
        return true;
    }
    if (bksi_phase_is_in_lobby(&session->common.phase)) {
        return false;
    }
    bool is_owed = bksi_relays_wait(&session->relays);
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        is_owed |= !bksi_view_queue_is_empty(&session->views.queue, i);
    }
    return is_owed;
}

static uint64_t wake_running(const bks_session *session)
{
    uint64_t tick_ns = bksi_clock_wake(&session->clock, &session->common);
    uint64_t packet_ns = session->packets.sent_ns + SEND_GAP_MAX_NS;
    return tick_ns < packet_ns ? tick_ns : packet_ns;
}

static uint64_t wake_to_say_bye(const bks_session *session)
{
    const session_common *common = &session->common;
    uint64_t patience_ns = common->config.tuning.drop_after_ms * NS_PER_MS;
    bool is_over = bksi_goodbyes_are_enough(&common->goodbyes, common->now_ns, patience_ns) ||
                   bksi_common_awaited(common) == 0;
    return is_over ? UINT64_MAX : session->packets.sent_ns + SEND_GAP_MAX_NS;
}

uint64_t bks_session_wake(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_wake", "session");
        return UINT64_MAX;
    }
    if (is_urgent(session)) {
        return session->common.now_ns;
    }
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
        return bksi_refusal_is_repeated(&session->lobby.refusal) ? session->lobby.next_ns
                                                                 : UINT64_MAX;
    }
    return UINT64_MAX;
}

bks_status bks_session_leave(bks_session *session)
{
    if (session == NULL) {
        return bksi_fail_null(NULL, "bks_session_leave", "session");
    }
    if (!bksi_phase_is_in_lobby(&session->common.phase) &&
        !bksi_phase_is_running(&session->common.phase)) {
        return BKS_OK;
    }
    bksi_goodbyes_leave(&session->common.goodbyes, bksi_common_others(&session->common),
                        session->common.now_ns, bksi_phase_is_running(&session->common.phase));
    bksi_phase_end(&session->common.phase);
    return BKS_OK;
}
