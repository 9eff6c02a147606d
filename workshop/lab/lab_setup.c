// SPDX-License-Identifier: MIT

// Configs of a match in the lab and of its peers, and random numbers from its seed.

#include "lab/lab_internal.h"

#include <string.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/runner.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "peer/peer_config.h"
#include "session/common/session_config.h"
#include "session/inspect.h"

#define SECOND_NS     UINT64_C(1000000000)
#define TICKS_MAX     10000000
#define FRAMES_HZ_MAX 10000u
#define COOKIE        0x1AB0C0DEu
#define BEYOND_NS     (25 * SECOND_NS)

bks_lab_config(bks_lab_config_default)(void)
{
    bks_lab_config config = {.peers = 2,
                             .ticks = 3600,
                             .seed = 1,
                             .watchers = 8,
                             .tuning = bks_tuning_default(),
                             .record_detail = {.keyframe_ticks = BKS_AUTO},
                             .cookie = COOKIE};
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        config.players_on[i] = 1;
    }
    return config;
}

#define CALL "bks_lab_create"

static bks_status check_players(const bks_lab_config *config, bks_error *error)
{
    uint32_t players = 0;
    for (uint32_t i = 0; i < config->peers; i++) {
        if (config->players_on[i] < 1 || config->players_on[i] > BKS_PLAYERS_MAX) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "players_on",
                             "players_on[%u] is %u, must be 1..%d", i, config->players_on[i],
                             BKS_PLAYERS_MAX);
        }
        players += config->players_on[i];
    }
    const bks_game *game = config->game;
    const uint32_t least = game->players_min > 0 ? game->players_min : 1;
    if (players < least || players > game->players_max) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "players_on",
                         "players_on is %u in all, must be %u..%u in %s", players, least,
                         game->players_max, game->name);
    }
    return BKS_OK;
}

static bks_status check_peer(const bks_lab_config *config, uint32_t index, bks_error *error)
{
    if (config->frames_hz[index] > FRAMES_HZ_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "frames_hz",
                         "frames_hz[%u] is %u, must be 0..%u", index, config->frames_hz[index],
                         FRAMES_HZ_MAX);
    }
    const bks_peer_config peer = bksi_lab_peer_config_of(config, index);
    const bks_status status = bksi_tuning_check(&peer.session.tuning, CALL, error);
    return status == BKS_OK ? bksi_peer_config_check(&peer, CALL, error) : status;
}

bks_status bks_lab_config_check(const bks_lab_config *config, bks_error *error)
{
    BKSI_REFUSE_NULL(error, config);
    if (config->cookie != COOKIE) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "cookie",
                         "config does not come from bks_lab_config_default()");
    }
    if (config->game == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "game", "game is NULL, must not be");
    }
    bks_status status = bks_game_check(config->game, error);
    if (status != BKS_OK) {
        return status;
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    if (config->peers < 1 || config->peers > BKS_PEERS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "peers", "peers is %u, must be 1..%d",
                         config->peers, BKS_PEERS_MAX);
    }
    if (config->ticks < 1 || config->ticks > TICKS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "ticks", "ticks is %d, must be 1..%d",
                         config->ticks, TICKS_MAX);
    }
    if (config->first_tick < 0 || config->first_tick >= config->ticks) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "first_tick",
                         "first_tick is %d, must be 0..%d", config->first_tick, config->ticks - 1);
    }
    if (config->watchers > BKS_WATCHERS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "watchers",
                         "watchers is %u, must be 0..%d", config->watchers, BKS_WATCHERS_MAX);
    }
    if (config->step_ns > SECOND_NS) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "step_ns",
                         "step_ns is %llu, must be 0..1000000000",
                         (unsigned long long)config->step_ns);
    }
    const uint32_t hash_every = config->tuning.hash_every_ticks;
    if (hash_every != BKS_AUTO && hash_every != 1) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, CALL, "tuning.hash_every_ticks",
                         "tuning.hash_every_ticks is %u, must be 1 or BKS_AUTO in a lab",
                         (unsigned)hash_every);
    }
    status = bksi_tuning_check(&config->tuning, CALL, error);
    if (status == BKS_OK) {
        status = check_players(config, error);
    }
    for (uint32_t i = 0; status == BKS_OK && i < config->peers; i++) {
        status = check_peer(config, i, error);
    }
    return status;
}

bks_random bksi_lab_random(uint64_t seed, uint64_t stream)
{
    bks_random random;
    // Hash the seed first: neighbouring seeds must not give similar generators.
    bks_random_seed(&random, bksi_hash64_pair(seed, stream), stream);
    return random;
}

uint64_t bksi_lab_limit_ns(const bks_lab_config *config)
{
    const uint64_t silence_ns = UINT64_C(1000000) * config->tuning.drop_after_ms;
    const uint64_t ticks = (uint64_t)(config->ticks - config->first_tick);
    return 2 * ticks * SECOND_NS / config->game->tick_rate_hz + silence_ns + BEYOND_NS;
}

static uint64_t next64(bks_random *random)
{
    const uint64_t high = bks_random_next(random);
    return high << 32 | bks_random_next(random);
}

bks_address bksi_lab_address(uint32_t peer, uint32_t rebinds)
{
    return (bks_address){.length = rebinds == 0 ? 1 : 2,
                         .bytes = {(uint8_t)peer, (uint8_t)rebinds}};
}

void bksi_lab_draw_key(bks_random *random, uint8_t key[BKS_KEY_BYTES])
{
    for (size_t i = 0; i < BKS_KEY_BYTES; i += 8) {
        bksi_put_u64(key + i, next64(random));
    }
}

bks_tuning bksi_lab_tuning_of(const bks_lab_config *config, uint32_t index)
{
    bks_tuning tuning = config->tuning;
    if ((config->own_tunings >> index & 1u) != 0) {
        const bks_tuning *own = &config->tunings[index];
        tuning.window_ticks = own->window_ticks;
        tuning.delay_ticks = own->delay_ticks;
        tuning.save = own->save;
        tuning.pace = own->pace;
    }
    return tuning;
}

static void fill_session_config(const bks_lab_config *from, uint32_t index, bks_session_config *out)
{
    bks_random ids = bksi_lab_random(from->seed, LAB_STREAM_IDS);
    bksi_lab_draw_key(&ids, out->key);
    out->first_player = 0;
    out->players = 0;
    for (uint32_t i = 0; i < from->peers; i++) {
        const uint64_t nonce = next64(&ids);
        uint8_t identity[BKS_KEY_BYTES];
        uint8_t entropy[BKS_KEY_BYTES];
        bksi_lab_draw_key(&ids, identity);
        bksi_lab_draw_key(&ids, entropy);
        if (i == index) {
            out->nonce = nonce;
            memcpy(out->identity, identity, sizeof(identity));
            memcpy(out->entropy, entropy, sizeof(entropy));
            out->first_player = out->players;
        }
        out->players += from->players_on[i];
    }
    out->is_host = index == 0;
    out->host = bksi_lab_address(0, 0);
    out->local_players = from->players_on[index];
    out->seed = from->seed;
    out->first_tick = from->first_tick;
    out->ticks = from->ticks - from->first_tick;
    out->tuning = bksi_lab_tuning_of(from, index);
    out->arithmetic = from->arithmetic;
    out->tuning.hash_every_ticks = 1; // every state is hashed and compared
    out->allocator = from->allocator;
}

bks_peer_config bksi_lab_peer_config_of(const bks_lab_config *from, uint32_t index)
{
    bks_peer_config config = bks_peer_config_default();
    config.game = from->game;
    config.options = from->options;
    config.has_options = from->has_options;
    config.record = from->records[index];
    config.record_detail = from->record_detail;
    config.build = from->build;
    config.map = from->map;
    config.cues_per_tick = from->cue != NULL ? from->cues_per_tick : 0;
    config.clock_ns = from->clock_ns;
    config.clock_context = from->clock_context;
    fill_session_config(from, index, &config.session);
    for (uint32_t i = 0; i < from->players_on[index]; i++) {
        config.sources[i] = from->sources[config.session.first_player + i];
    }
    return config;
}

bks_status bks_lab_peer_config(const bks_lab_config *config, uint32_t index, bks_peer_config *out,
                               bks_error *error)
{
    static const char call[] = "bks_lab_peer_config";
    BKSI_REFUSE_NULL(error, out);
    const bks_status status = bks_lab_config_check(config, error);
    if (status != BKS_OK) {
        return status;
    }
    if (index >= config->peers) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "index", "index is %u, must be 0..%u",
                         index, config->peers - 1);
    }
    *out = bksi_lab_peer_config_of(config, index);
    return BKS_OK;
}

bks_status bks_lab_number_peers(const bks_lab_config *config, bks_session *host, bks_error *error)
{
    BKSI_REFUSE_NULL(error, host);
    const bks_status status = bks_lab_config_check(config, error);
    for (uint32_t i = 0; status == BKS_OK && i < config->peers; i++) {
        bksi_inspect_reserve(host, bksi_lab_peer_config_of(config, i).session.first_player, i);
    }
    return status;
}
