// SPDX-License-Identifier: MIT

#include "match/match_config.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/runner.h"
#include "base/memory.h"
#include "base/report.h"
#include "match/watching.h"
#include "peer/peer_config.h"
#include "session/common/session_config.h"

#define CONFIG_COOKIE 0x424b534du
#define CALL          "bks_match_open"

/// Number of players if the host does not set it.
#define PLAYERS_DEFAULT 2u

bks_match_config(bks_match_config_default)(void)
{
    return (bks_match_config){.bind_address = "0",
                              .local_players = 1,
                              .tuning = bks_tuning_default(),
                              .join_timeout_ms = 10000,
                              .record = true,
                              .watchers = 8,
                              .watch_bytes_per_s = 64000,
                              .record_detail = {.keyframe_ticks = BKS_AUTO},
                              .cookie = CONFIG_COOKIE};
}

static bks_status fail_null(const char *field, bks_error *error)
{
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, field, "%s is NULL, must not be", field);
}

static bool is_guest(const bks_match_config *config)
{
    return config->transport != NULL ? config->host_address.length > 0 : config->invitation != NULL;
}

static uint32_t players_of(const bks_match_config *config)
{
    if (config->players > 0) {
        return config->players;
    }
    uint32_t most = config->game->players_max;
    return most < PLAYERS_DEFAULT ? most : PLAYERS_DEFAULT;
}

/// Describe why the number of players is out of range.
static void describe_players(const bks_match_config *config, uint32_t players, char *text,
                             size_t capacity)
{
    const bks_game *game = config->game;
    if (players > game->players_max) {
        (void)snprintf(text, capacity, "players_max of %.60s is %u", game->name, game->players_max);
    } else if (players < config->local_players) {
        (void)snprintf(text, capacity, "local_players is %u", config->local_players);
    } else {
        (void)snprintf(text, capacity, "players_min of %.60s is %u", game->name, game->players_min);
    }
}

static bks_status check_players(const bks_match_config *config, bks_error *error)
{
    uint32_t least = config->game->players_min > 0 ? config->game->players_min : 1;
    uint32_t most = config->game->players_max;
    if (config->local_players < 1 || config->local_players > most) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "local_players",
                         "local_players is %u, must be 1..%u", config->local_players, most);
    }
    least = config->local_players > least ? config->local_players : least;
    uint32_t players = players_of(config);
    if (!is_guest(config) && (players < least || players > most)) {
        char why[100];
        describe_players(config, players, why, sizeof(why));
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "players",
                         "players is %u, must be %u..%u: %s", players, least, most, why);
    }
    return BKS_OK;
}

bool bksi_match_config_is_alone(const bks_match_config *config)
{
    return config->transport == NULL && config->invitation == NULL &&
           config->local_players == players_of(config);
}

static bks_status check_alone(const bks_match_config *config, bks_error *error)
{
    if (config->play_path != NULL && (config->invitation != NULL || config->transport != NULL)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "play_path",
                         "play_path and %s are set, must be one of them",
                         config->invitation != NULL ? "invitation" : "transport");
    }
    if (config->play_path != NULL && config->record_path != NULL &&
        strcmp(config->record_path, config->play_path) == 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "record_path",
                         "record_path is '%.80s', must not be that of the recording played",
                         config->record_path);
    }
    if (config->play_path != NULL && config->start_state != NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "start_state",
                         "start_state is set, must be NULL with play_path: the recording has the "
                         "state it begins with");
    }
    if (config->play_path != NULL && config->ticks < 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "ticks",
                         "ticks is %d, must be 0..2147483647", (int)config->ticks);
    }
    if (config->tick_per_update && config->pictures != BKS_PICTURES_NONE) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "pictures",
                         "pictures is %u with tick_per_update, must be BKS_PICTURES_NONE: every "
                         "picture is a tick",
                         config->pictures);
    }
    if (config->play_path != NULL) {
        return BKS_OK; // the recording says how many players there are
    }
    if (config->tick_per_update && !bksi_match_config_is_alone(config)) {
        return bksi_fail(
            error, BKS_ERR_BAD_CONFIG, CALL, "tick_per_update",
            "tick_per_update is set and other peers may join; all players must be local");
    }
    if (config->sync_test_ticks > 0 &&
        (is_guest(config) || config->local_players != players_of(config))) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "sync_test_ticks",
                         "sync_test_ticks is %u and other peers may join, must be 0 then",
                         config->sync_test_ticks);
    }
    return BKS_OK;
}

bool bksi_match_config_has_key(const bks_match_config *config)
{
    for (size_t i = 0; i < BKS_KEY_BYTES; i++) {
        if (config->key[i] != 0) {
            return true;
        }
    }
    return false;
}

/// Check a time of the config of figures: it is 0, or within its range.
static bks_status check_time(const char *field, uint32_t ms, int32_t most, bks_error *error)
{
    if (ms != 0 && (ms < BKS_FIGURE_POINT_MS || ms > (uint32_t)most)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, field, "%s is %u, must be 0 or %d..%d",
                         field, ms, BKS_FIGURE_POINT_MS, most);
    }
    return BKS_OK;
}

static bks_status check_insight(const bks_insight *insight, bks_error *error)
{
    if (insight == NULL) {
        return BKS_OK;
    }
    if ((insight->change_link == NULL) != (insight->link == NULL)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "insight.change_link",
                         "insight has one of change_link and link, must have both or neither");
    }
    const bks_status status =
        check_time("insight.window_ms", insight->window_ms, BKS_FIGURE_WINDOW_MS_MAX, error);
    return status != BKS_OK ? status
                            : check_time("insight.log_every_ms", insight->log_every_ms,
                                         BKS_FIGURE_LOG_MS_MAX, error);
}

static bks_status check_transport(const bks_match_config *config, bks_error *error)
{
    if (config->transport == NULL && config->host_address.length > 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "host_address",
                         "host_address is set without a custom transport, must be empty: over UDP "
                         "the invitation has the host's address");
    }
    if (config->transport == NULL) {
        return config->bind_address == NULL ? fail_null("bind_address", error) : BKS_OK;
    }
    if (config->transport->send == NULL) {
        return fail_null("transport->send", error);
    }
    if (config->transport->receive == NULL) {
        return fail_null("transport->receive", error);
    }
    if (config->invitation != NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "invitation",
                         "invitation is '%.40s', must be NULL with a custom transport",
                         config->invitation);
    }
    if (!bksi_match_config_has_key(config)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "key",
                         "key is all zero, must be %d random bytes with a custom transport",
                         BKS_KEY_BYTES);
    }
    if (config->host_address.length > BKS_ADDRESS_BYTES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "host_address",
                         "host_address.length is %u, must be 0..%d", config->host_address.length,
                         BKS_ADDRESS_BYTES_MAX);
    }
    return BKS_OK;
}

bks_status bksi_match_config_check(const bks_match_config *config, bks_error *error)
{
    if (config->cookie != CONFIG_COOKIE) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "cookie",
                         "config does not come from bks_match_config_default()");
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    if (config->game == NULL) {
        return fail_null("game", error);
    }
    BKSI_TRY(bks_game_check(config->game, error));
    BKSI_TRY(check_transport(config, error));
    BKSI_TRY(check_players(config, error));
    // Check the tuning before bksi_match_config_to_peer() below sets window 0 for a match that no
    // peer can join, because that would hide a window that is out of range.
    BKSI_TRY(bksi_tuning_check(&config->tuning, CALL, error));
    BKSI_TRY(check_alone(config, error));
    BKSI_TRY(check_insight(config->insight, error));
    BKSI_TRY(bksi_watching_check(config, error));
    // Before a recording is opened, refuse a config that a peer would refuse.
    bks_peer_config peer = bks_peer_config_default();
    bksi_match_config_to_peer(config, &peer);
    return bksi_peer_config_check(&peer, CALL, error);
}

/// Get the room for a player's commands in bytes; 0: use the game's value. To play a recording the
/// room must be larger than in the recorded match: the recording has a large command whole in one
/// tick, while in the match its bytes were spread over several ticks.
static uint32_t command_room(const bks_match_config *config)
{
    const bks_game *game = config->game;
    if (config->play_path == NULL || game == NULL || game->command_bytes_max == 0) {
        return 0;
    }
    const uint64_t room = game->command_room_bytes > 0 ? game->command_room_bytes : 262144;
    const uint64_t most = 2 * (room + game->command_bytes_max + 2);
    return most < BKS_COMMAND_ROOM_MAX ? (uint32_t)most : BKS_COMMAND_ROOM_MAX;
}

void bksi_match_config_to_peer(const bks_match_config *config, bks_peer_config *peer)
{
    peer->game = config->game;
    peer->session.command_room_bytes = command_room(config);
    peer->options = config->options;
    peer->has_options = config->has_options;
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        peer->sources[i] = config->sources[i];
    }
    peer->sync_test_ticks = config->sync_test_ticks;
    peer->build = config->build;
    peer->record_detail = config->record_detail;
    peer->session.arithmetic = config->arithmetic;
    peer->answer = config->answer;
    peer->answer_context = config->answer_context;
    peer->cues_per_tick = config->cues_per_tick;
    peer->pictures = (bks_pictures)config->pictures;
    peer->workers = config->workers;
    peer->session.local_players = config->local_players;
    peer->session.players = players_of(config);
    peer->session.seed = config->seed;
    peer->session.ticks = config->ticks;
    peer->start_state = config->start_state;
    peer->start_state_bytes = config->start_state_bytes;
    peer->start_tick = config->start_tick;
    peer->session.tuning = config->tuning;
    peer->session.allocator = config->allocator;
    if (bksi_match_config_is_alone(config)) {
        // Set window 0: every input is known when it is sampled, so nothing is guessed or rolled
        // back.
        bks_tuning *tuning = &peer->session.tuning;
        tuning->window_ticks = 0;
        tuning->hash_every_ticks =
            tuning->hash_every_ticks == BKS_AUTO ? 1 : tuning->hash_every_ticks;
        tuning->delay_ticks = tuning->delay_ticks == BKS_AUTO ? 0 : tuning->delay_ticks;
    }
}

bks_status bksi_match_config_field(bks_status status, const char *field, bks_error *error)
{
    bks_status code = status == BKS_ERR_BAD_ARGUMENT ? BKS_ERR_BAD_CONFIG : status;
    if (error != NULL) {
        error->code = code;
        error->field = field;
    }
    return code;
}
