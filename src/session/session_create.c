// SPDX-License-Identifier: MIT

// Creation of a session, which allocates all its memory.

#include <sodium.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "session/common/session_config.h"
#include "session/session_internal.h"

/// Get the capacity of timelines in ticks: a window that may be stepped again, the input delays of
/// two peers, and two seconds [Fiedler].
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

/// The rule of admission of commands looks back at most as many ticks as timelines hold.
_Static_assert(3 * (BKS_WINDOW_MAX + BKS_DELAY_MAX + 1) <= 1024 &&
                   BKSI_HELD_TICKS_MAX + 2 * (BKS_WINDOW_MAX + BKS_DELAY_MAX + 1) <= 1024,
               "it fits");

/// Timelines keep the inputs from a meeting's tick on until the meeting ends, because these ticks
/// may be stepped again with all inputs that have come since. Any window, delay and rate need more
/// than 512 ticks, so the capacity is a power of two and at least 1024.
_Static_assert(2 * (BKS_DELAY_MAX + 1) >= 512 && BKSI_HELD_TICKS_MAX + BKSI_AHEAD_TICKS_MAX <= 1024,
               "it fits");

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
        .keep_ticks = config->tuning.keep_ticks,
        .custom_prediction = config->custom_prediction,
        .votes = config->votes,
        .votes_bytes = config->votes_bytes,
        .commands = bksi_session_command_config(config),
        .allocator = config->allocator,
    };
    bks_status status = bksi_rollback_create(&session->common.engine, &engine, error);
    session->common.config.votes = NULL;
    return status == BKS_OK ? bksi_runs_create(&session->inputs.runs, &session->common.engine,
                                               config->local_players)
                            : status;
}

static void test_arithmetic(bksi_compat *compat)
{
    bksi_arithmetic_test(&compat->arithmetic);
    uint32_t op = bksi_arithmetic_compare(&compat->arithmetic, &bksi_arithmetic_right);
    if (op < BKSI_ARITHMETIC_OPS) {
        bksi_log(BKS_LOG_WARNING, "session.arithmetic",
                 "%s on this machine does not follow IEEE 754: peers whose results differ cannot "
                 "join",
                 bksi_arithmetic_name(op));
    }
    if (compat->game_arithmetic != 0) {
        bksi_log(BKS_LOG_WARNING, "session.game_arithmetic",
                 "the game `%s` %s; peers whose game does not are refused", compat->game,
                 bks_arithmetic_text(compat->game_arithmetic));
    }
}

/// Get the form of the setup, in which all peers must be equal. The sizes of commands are part of
/// it, because they decide which ticks a peer accepts.
static uint64_t setup_form_of(const bks_session_config *config)
{
    const bksi_command_config commands = bksi_session_command_config(config);
    const uint64_t sizes = (uint64_t)commands.bytes_max << 32 | commands.room_bytes;
    return commands.bytes_max > 0 ? bksi_hash64_pair(config->setup_form, sizes)
                                  : config->setup_form;
}

static void prepare(bks_session *session, const bks_session_config *config)
{
    session->common.config = *config;
    session->delay_most = bksi_session_delay_most(config);
    session->common.compat = (bksi_compat){
        .protocol = BKSI_PROTOCOL_VERSION,
        .game_version = config->game_version,
        .layout = bksi_layout_hash(&session->common.layout),
        .setup_form = setup_form_of(config),
        .tick_rate_hz = config->tick_rate_hz,
    };
    (void)snprintf(session->common.compat.game, sizeof(session->common.compat.game), "%s",
                   config->game_name);
    session->common.compat.game_arithmetic = config->arithmetic & UINT16_MAX;
    test_arithmetic(&session->common.compat);
    session->common.config.setup = NULL;
    session->common.config.game_name = NULL;
    bksi_pace_init(&session->tempo.pace, &session->common);
    bksi_liveness_init(&session->inputs.liveness, config->tick_rate_hz);
    bksi_guard_init(&session->common.guard, config->key, config->identity, config->entropy);
    // The guard has copied the secrets, so erase them here.
    sodium_memzero(session->common.config.key, BKS_KEY_BYTES);
    sodium_memzero(session->common.config.identity, BKS_KEY_BYTES);
    sodium_memzero(session->common.config.entropy, BKS_KEY_BYTES);
    bksi_seats_init(&session->common.seats, &session->common.guard, config);
    bksi_lobby_init(&session->lobby, &session->common.phase, &session->common.membership,
                    &session->common, config);
    bksi_meeting_init(&session->meeting);
    bksi_game_check_init(&session->game_check);
}

/// Refuse more players on this machine than a packet has room for, unless no packets go.
static bks_status check_players(const bks_session_config *config, const bksi_layout *layout,
                                bks_error *error)
{
    const uint32_t most = bksi_seats_most(layout, config->command_bytes_max > 0);
    if (config->local_players <= most || bksi_session_is_alone(config)) {
        return BKS_OK;
    }
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_session_create", "local_players",
                     "local_players is %u, must be 1..%u on one of several machines: a packet has "
                     "room for %u bits of inputs, and each player takes up to %u",
                     (unsigned)config->local_players, (unsigned)most, BKSI_TICK_BITS_MAX,
                     (unsigned)bksi_codec_bits_max(layout));
}

bks_status bks_session_create(const bks_session_config *config, bks_session **out, bks_error *error)
{
    static const char call[] = "bks_session_create";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
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
        status = check_players(config, &session->common.layout, error);
    }
    if (status == BKS_OK) {
        prepare(session, config);
        status = create_engine(session, error);
        if (status == BKS_ERR_OUT_OF_MEMORY) {
            (void)bksi_fail(error, status, call, "allocator", "allocator has no room for %u ticks",
                            capacity_for(config));
        }
    }
    if (status == BKS_OK) {
        status = bksi_lane_create(&session->inputs.runs.lane, config, &session->common.seats);
        if (status == BKS_ERR_OUT_OF_MEMORY) {
            (void)bksi_fail(error, status, call, "allocator",
                            "allocator has no room for lanes of commands");
        }
    }
    if (status == BKS_OK) {
        status = bksi_bulk_streams_create(&session->bulk, config);
        if (status == BKS_ERR_OUT_OF_MEMORY) {
            (void)bksi_fail(error, status, call, "allocator",
                            "allocator has no room for streams of %u bytes",
                            (unsigned)config->tuning.bulk_bytes);
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
    bksi_bulk_streams_destroy(&session->bulk, &allocator);
    bksi_lane_destroy(&session->inputs.runs.lane, &allocator);
    bksi_runs_destroy(&session->inputs.runs, &allocator);
    bksi_rollback_destroy(&session->common.engine);
    bksi_guard_wipe(&session->common.guard);
    bksi_free(&allocator, session, sizeof(*session));
}

// ---- changes of the tuning during the match: fields that no other peer needs to know and no
// memory depends on ----

bks_status bks_session_tuning(const bks_session *session, bks_tuning *out)
{
    BKSI_REFUSE_NULL(NULL, session);
    BKSI_REFUSE_NULL(NULL, out);
    *out = session->common.config.tuning;
    out->window_ticks = bksi_rollback_window(&session->common.engine);
    return BKS_OK;
}

static bks_status refuse_tuning(bks_error *error, const char *field, uint32_t value, uint32_t least,
                                uint32_t most)
{
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_session_retune", field,
                     "%s is %u, must be %u..%u", field, value, least, most);
}

bks_status bks_session_retune(bks_session *session, uint32_t window_ticks, uint32_t delay_ticks,
                              bks_pace pace, bks_error *error)
{
    BKSI_REFUSE_NULL(error, session);
    session_common *common = &session->common;
    const uint32_t most = common->config.tuning.window_ticks;
    // A match that began with a window cannot become lockstep, nor the reverse.
    const uint32_t least = most > 0 ? 1 : 0;
    if (window_ticks < least || window_ticks > most) {
        return refuse_tuning(error, "window_ticks", window_ticks, least, most);
    }
    const uint32_t delay_most = session->delay_most;
    const bool may_be_auto = delay_most == BKS_DELAY_MAX;
    if (delay_ticks > delay_most && !(may_be_auto && delay_ticks == BKS_AUTO)) {
        return refuse_tuning(error, "delay_ticks", delay_ticks, 0, delay_most);
    }
    if ((uint32_t)pace > BKS_PACE_NONE) {
        return refuse_tuning(error, "pace", (uint32_t)pace, BKS_PACE_SLEW, BKS_PACE_NONE);
    }
    bksi_rollback_limit(&common->engine, window_ticks);
    common->config.tuning.delay_ticks = delay_ticks;
    common->config.tuning.pace = pace;
    bksi_pace_retune(&session->tempo.pace, common);
    return BKS_OK;
}
