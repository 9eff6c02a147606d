// SPDX-License-Identifier: MIT

// Creation and destruction of a peer with its session, runner and other parts.

#include <string.h>

#include "backstitch/det.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "game/cues_check.h"
#include "game/start_parts.h"
#include "peer/peer_config.h"
#include "peer/peer_parts.h"
#include "peer/repairable.h"
#include "replay/write/packed_writer.h"
#include "session/queries.h"

/// Maximum memory for snapshots with BKS_SAVE_AUTO, unless two snapshots need more.
#define SLOTS_BYTES_MAX (UINT64_C(256) << 20)

/// Number of ticks before the window that may still be stepped again, with some margin.
#define SETTLED_TICKS 8

/// Number of windows whose ticks one update may step: a snapshot may be up to one window before the
/// first unconfirmed tick.
#define UPDATE_WINDOWS 2u

_Static_assert(BKSI_START_PARTS_MAX == BKS_START_RANGES_MAX, "what a session compares");

bks_peer_config(bks_peer_config_default)(void)
{
    bks_peer_config config;
    memset(&config, 0, sizeof(config));
    config.session = bks_session_config_default();
    config.session.tick_rate_hz = 0;
    config.record_detail.keyframe_ticks = BKS_AUTO;
    return config;
}

// ---- create ----

/// Name the differing parts of our state of the first tick.
static size_t name_parts(void *context, const uint8_t *differ, uint32_t part_count, char *out,
                         size_t capacity)
{
    bks_peer *peer = context;
    if (peer->failure != BKS_OK) { // after a failed START there may be no state
        return 0;
    }
    return bksi_start_parts_name(peer->runner, differ, part_count, out, capacity);
}

/// Set the fields of the session's config that depend on the game. `setup` must outlive the
/// creation of the session.
static bks_status fill_session_config(bks_peer *peer, uint8_t setup[BKS_SETUP_BYTES_MAX],
                                      bks_error *error)
{
    const bks_game *game = peer->config.game;
    bks_session_config *config = &peer->config.session;
    if (!peer->config.has_options) {
        (void)bks_option_values_default(game, &peer->config.options);
    }
    config->game_name = game->name;
    config->game_version = game->version;
    config->fields = game->fields;
    config->field_count = game->field_count;
    config->setup_form = bksi_setup_form(game);
    config->ranges = game->ranges;
    config->range_count = game->range_count;
    config->name_parts = name_parts;
    config->name_parts_context = peer;
    if (config->build == 0 && peer->config.build != NULL) {
        config->build = bksi_hash64(peer->config.build, strlen(peer->config.build), 0);
    }
    config->custom_prediction = game->predict != NULL;
    config->votes = game->votes;
    config->votes_bytes = game->votes_bytes;
    config->command_bytes_max = game->command_bytes_max;
    if (config->command_room_bytes == 0) {
        config->command_room_bytes = game->command_room_bytes;
    }
    if (config->tick_rate_hz == 0) {
        config->tick_rate_hz = game->tick_rate_hz;
    }
    if (!config->is_host) {
        return BKS_OK;
    }
    uint32_t least = game->players_min > 0 ? game->players_min : 1;
    if (config->players < least || config->players > game->players_max) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_peer_create", "players",
                         "players is %u, must be %u..%u in %s", config->players, least,
                         game->players_max, game->name);
    }
    config->setup_bytes = bksi_setup_write(game, &peer->config.options, setup, BKS_SETUP_BYTES_MAX);
    config->setup = setup;
    config->first_tick =
        peer->config.start_state != NULL ? peer->config.start_tick : config->first_tick;
    if (config->setup_bytes == 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_peer_create", "options",
                         "options take more than %d bytes together", BKS_SETUP_BYTES_MAX);
    }
    setup[0] |= peer->config.start_state != NULL ? BKSI_SETUP_HAS_STATE : 0;
    return BKS_OK;
}

/// Create the session, which alone keeps the secrets of the config.
static bks_status create_session(bks_peer *peer, bks_error *error)
{
    uint8_t setup[BKS_SETUP_BYTES_MAX];
    bks_session_config *config = &peer->config.session;
    bks_status status = fill_session_config(peer, setup, error);
    if (status == BKS_OK) {
        // Enter the float environment of the steps, because the session tests this machine's
        // arithmetic.
        const bks_float_environment before = bks_float_enter();
        status = bks_session_create(config, &peer->session, error);
        (void)bks_float_leave(&before);
    }
    config->setup = NULL;
    memset(config->key, 0, BKS_KEY_BYTES);
    memset(config->identity, 0, BKS_KEY_BYTES);
    memset(config->entropy, 0, BKS_KEY_BYTES);
    return status;
}

static bks_status create_runner(bks_peer *peer, bks_error *error)
{
    const bks_session_config *session = &peer->config.session;
    const bks_game *game = peer->config.game;
    // Loading a game, that is running its `init`, takes time, so each peer does it once, when all
    // peers have joined. A match without other peers need not wait. A host that checks now whether
    // states can be repaired keeps the state that it made for this.
    const bool is_alone = session->is_host && session->local_players == session->players;
    const bool is_checked = session->tuning.on_desync == BKS_ON_DESYNC_RESYNC;
    peer->has_first_state = is_alone || (session->is_host && is_checked && game->create == NULL);
    bksi_runner_config config = {
        .game = game,
        .seed = session->seed,
        .players = session->is_host ? session->players : game->players_max,
        .tick_rate_hz = session->tick_rate_hz,
        .options = peer->config.options,
        .slot_count = bks_session_slots(peer->session),
        .slots_bytes_max = session->tuning.save == BKS_SAVE_AUTO ? (size_t)SLOTS_BYTES_MAX : 0,
        .kept_slots = bks_session_kept_slots(peer->session),
        .more_slots = bksi_sync_test_slots(peer->config.sync_test_ticks),
        .has_no_state = !peer->has_first_state && !(is_checked && game->create != NULL),
        .allocator = session->allocator,
    };
    if (peer->config.workers != NULL) {
        config.workers = *peer->config.workers;
    }
    return bksi_runner_create(&config, &peer->runner, error);
}

// ---- facts ----

/// Get the answer to a question: the kept answer, or the owner's if the question is new.
static size_t answer(void *context, bks_tick tick, uint32_t question, void *out)
{
    bks_peer *peer = context;
    size_t count = 0;
    if (bksi_answer_cache_find(&peer->answers, tick, question, out, &count)) {
        return count;
    }
    count = peer->config.answer(peer->config.answer_context, tick, question, out);
    if (count > BKS_ANSWER_BYTES_MAX) {
        bksi_log(BKS_LOG_ERROR, "peer.answer", "an answer of %zu bytes was cut, must be 0..%d",
                 count, BKS_ANSWER_BYTES_MAX);
        count = BKS_ANSWER_BYTES_MAX;
    }
    bks_tick settled = tick - (bks_tick)peer->config.session.tuning.window_ticks -
                       (bks_tick)peer->config.sync_test_ticks - SETTLED_TICKS;
    if (!bksi_answer_cache_keep(&peer->answers, settled, tick, question, out, count)) {
        bksi_log(BKS_LOG_ERROR, "peer.answer",
                 "tick %d asked for more than %u bytes of answers, from here on all are empty",
                 tick, BKSI_ANSWER_CACHE_BYTES);
        return 0;
    }
    if (peer->is_recording && count > 0) {
        bksi_recorder_fact(&peer->recorder, tick, question, out, count);
    }
    return count;
}

static bks_status create_facts(bks_peer *peer, bks_error *error)
{
    const bks_session_config *session = &peer->config.session;
    if (peer->config.answer == NULL) {
        return BKS_OK;
    }
    if (!session->is_host || session->local_players != session->players) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_peer_create", "answer",
                         "answer is set and %u of %u players are on this machine, must be all: "
                         "other peers cannot know the answers, send such facts as input",
                         session->is_host ? session->local_players : 0, session->players);
    }
    bks_status status = bksi_answer_cache_create(&peer->answers, &session->allocator, error);
    const bksi_answers answers = {.answer = answer, .context = peer};
    bksi_runner_answer(peer->runner, &answers);
    return status;
}

// ---- cues ----

/// Create the cues, if the config asks for them.
/// @param unsettled_max  most ticks that may wait to be final
static bks_status collect_cues(bks_peer *peer, uint32_t unsettled_max, bks_error *error)
{
    const uint32_t held = unsettled_max - peer->config.session.tuning.window_ticks;
    const bks_cues_config config = {
        .game = peer->config.game,
        .per_tick = peer->config.cues_per_tick,
        .ticks = UPDATE_WINDOWS * (peer->config.session.tuning.window_ticks + SETTLED_TICKS) +
                 held + peer->config.sync_test_ticks,
        .allocator = peer->config.session.allocator,
    };
    const bks_status status = bks_cues_create(&config, &peer->cues, error);
    bksi_runner_collect(peer->runner, peer->cues);
    return status;
}

static bks_status create_cues(bks_peer *peer, bks_error *error)
{
    const bks_status checked = bksi_cues_per_tick_check(
        peer->config.game, peer->config.cues_per_tick, "bks_peer_create", error);
    if (checked != BKS_OK || peer->config.cues_per_tick == 0) {
        return checked;
    }
    return collect_cues(peer, peer->config.session.tuning.window_ticks, error);
}

bks_status bksi_peer_fit_cues(bks_peer *peer, bks_error *error)
{
    const uint32_t unsettled_max = bksi_session_unsettled_max(peer->session);
    if (peer->cues == NULL || unsettled_max == peer->config.session.tuning.window_ticks) {
        return BKS_OK;
    }
    bks_cues_destroy(peer->cues);
    return collect_cues(peer, unsettled_max, error);
}

// ---- sync test ----

static bks_status create_sync_test(bks_peer *peer, bks_error *error)
{
    const bks_session_config *session = &peer->config.session;
    const uint32_t ticks = peer->config.sync_test_ticks;
    if (ticks == 0) {
        return BKS_OK;
    }
    if (!session->is_host || session->local_players != session->players) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_peer_create", "sync_test_ticks",
                         "sync_test_ticks is %u and %u of %u players are on this machine, must be "
                         "0 or all: with others a match goes back by itself",
                         ticks, session->is_host ? session->local_players : 0, session->players);
    }
    return bksi_sync_test_create(peer->runner, peer->session, ticks, &session->allocator,
                                 &peer->sync_test, error);
}

// ---- the whole peer ----

bks_status bksi_peer_fit_comparison(bks_peer *peer, bks_error *error)
{
    const bks_status status = bksi_comparison_fit(&peer->comparison, peer->runner, peer->config.map,
                                                  &peer->config.session.allocator);
    return status == BKS_OK ? BKS_OK
                            : bksi_fail(error, status, "bks_peer_create", "allocator",
                                        "allocator has no room for two states to compare");
}

/// Allocate memory for one command of a source, if any source gives commands.
static bks_status create_command(bks_peer *peer, bks_error *error)
{
    const bks_session_config *session = &peer->config.session;
    bool gives_any = false;
    for (uint32_t i = 0; i < session->local_players; i++) {
        gives_any |= peer->config.sources[i].command != NULL;
    }
    if (!gives_any || session->command_bytes_max == 0) {
        return BKS_OK;
    }
    peer->command = bksi_alloc(&session->allocator, session->command_bytes_max, 16);
    return peer->command != NULL ? BKS_OK
                                 : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_peer_create",
                                             "allocator", "allocator has no room for a command");
}

static bks_status build(bks_peer *peer, bks_error *error)
{
    const bks_game *game = peer->config.game;
    BKSI_TRY(create_session(peer, error));
    BKSI_TRY(bksi_layout_init(&peer->layout, game->fields, game->field_count, error));
    BKSI_TRY(create_runner(peer, error));
    // Check again which details are recorded, now that the size of a state is known.
    BKSI_TRY(bksi_detail_check(&peer->config.record_detail, game,
                               bksi_runner_export_bytes_max(peer->runner), true, "bks_peer_create",
                               error));
    if (peer->config.session.tuning.on_desync == BKS_ON_DESYNC_RESYNC) {
        BKSI_TRY(bksi_repairable_check(peer->runner, peer->config.session.tuning.keep_ticks,
                                       &peer->config.session.allocator, error));
    }
    BKSI_TRY(create_facts(peer, error));
    BKSI_TRY(bksi_peer_fit_comparison(peer, error));
    peer->pictures.kind = peer->config.pictures;
    peer->pictures.allocator = peer->config.session.allocator;
    BKSI_TRY(bksi_pictures_fit(&peer->pictures, peer->runner, error));
    BKSI_TRY(create_cues(peer, error));
    BKSI_TRY(create_command(peer, error));
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        bksi_layout_neutral(&peer->layout, peer->held[i]);
    }
    return create_sync_test(peer, error);
}

bks_status bks_peer_create(const bks_peer_config *config, bks_peer **out, bks_error *error)
{
    static const char call[] = "bks_peer_create";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    BKSI_TRY(bksi_peer_config_check(config, call, error));
    bks_peer *peer = bksi_alloc(&config->session.allocator, sizeof(*peer), 64);
    if (peer == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, "allocator",
                         "allocator has no %zu bytes", sizeof(*peer));
    }
    peer->config = *config;
    peer->flip.tick = BKS_TICK_NONE;
    bks_status status = build(peer, error);
    if (status != BKS_OK) {
        bks_peer_destroy(peer);
        return status;
    }
    *out = peer;
    return BKS_OK;
}

void bks_peer_destroy(bks_peer *peer)
{
    if (peer == NULL) {
        return;
    }
    bks_allocator allocator = peer->config.session.allocator;
    if (peer->is_recording) {
        bksi_recorder_finish(&peer->recorder, peer->session, peer->runner);
        bksi_recorder_destroy(&peer->recorder);
    }
    bksi_comparison_destroy(&peer->comparison);
    bksi_pictures_destroy(&peer->pictures);
    bksi_sync_test_destroy(peer->sync_test, &allocator);
    bks_cues_destroy(peer->cues);
    bksi_free(&allocator, peer->command, peer->config.session.command_bytes_max);
    bksi_runner_destroy(peer->runner);
    bks_session_destroy(peer->session);
    bksi_answer_cache_destroy(&peer->answers);
    bksi_free(&allocator, peer, sizeof(*peer));
}
