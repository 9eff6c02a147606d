// SPDX-License-Identifier: MIT

#include "session/common/session_config.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "rollback/engine.h"
#include "state/place.h"
#include "wire/roster.h"
#include "wire/small_messages.h"

#define CONFIG_COOKIE  0x42535331u
#define LOG_ID         "bks_session_create"
#define ARITHMETIC_MAX (BKS_ARITHMETIC_FUSED | BKS_ARITHMETIC_REASSOCIATED | BKS_ARITHMETIC_EXCESS)

/// Minimum number of ticks for which commands are held: as many as a sync test goes back
/// (peer/sync_test.h), with some margin.
#define HELD_TICKS_MIN 64u

/// Default room for a player's commands, in bytes.
#define COMMAND_ROOM_BYTES (256u * 1024)

/// Minimum size of a bulk stream's buffer in bytes: the data of one BULK must fit.
#define BULK_BYTES_MIN 1024

_Static_assert(BKS_BULK_BYTES_MAX <= BKSI_BULK_WINDOW_MAX, "a message can offer it");

// ---- tuning ----

bks_tuning bks_tuning_default(void)
{
    return (bks_tuning){
        .window_ticks = 20,
        .delay_ticks = BKS_AUTO,
        .pace = BKS_PACE_SLEW,
        .save = BKS_SAVE_AUTO,
        .budget_us = BKS_AUTO,
        .hash_every_ticks = BKS_AUTO,
        .keep_ticks = 64,
        .on_desync = BKS_ON_DESYNC_REPORT,
        .notify_after_ms = 1000,
        .drop_after_ms = 5000,
        .guest_pauses = 3,
    };
}

/// Range of a field of a tuning.
typedef struct limits {
    const char *field; ///< full name of the field, as errors print it
    uint32_t value;
    uint32_t least;
    uint32_t greatest;
    bool may_be_auto;
} limits;

bks_status bksi_tuning_check(const bks_tuning *tuning, const char *call, bks_error *error)
{
    const limits all[] = {
        {"tuning.window_ticks", tuning->window_ticks, 0, BKS_WINDOW_MAX, false},
        {"tuning.delay_ticks", tuning->delay_ticks, 0, BKS_DELAY_MAX, true},
        {"tuning.pace", (uint32_t)tuning->pace, BKS_PACE_SLEW, BKS_PACE_NONE, false},
        {"tuning.save", (uint32_t)tuning->save, BKS_SAVE_EVERY, BKS_SAVE_AUTO, false},
        {"tuning.budget_us", tuning->budget_us, 0, 1000000, true},
        {"tuning.hash_every_ticks", tuning->hash_every_ticks, 1, BKSI_HASH_EVERY_TICKS_MAX, true},
        {"tuning.keep_ticks", tuning->keep_ticks, 0, BKS_KEEP_TICKS_MAX, false},
        {"tuning.on_desync", (uint32_t)tuning->on_desync, BKS_ON_DESYNC_REPORT,
         BKS_ON_DESYNC_RESYNC, false},
        {"tuning.notify_after_ms", tuning->notify_after_ms, 100, 60000, false},
        {"tuning.drop_after_ms", tuning->drop_after_ms, tuning->notify_after_ms, 600000, false},
        {"tuning.guest_pauses", tuning->guest_pauses, 0, BKS_GUEST_PAUSES_MAX, false},
        {"tuning.bulk_bytes", tuning->bulk_bytes, tuning->bulk_bytes == 0 ? 0 : BULK_BYTES_MIN,
         BKS_BULK_BYTES_MAX, false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const limits *it = &all[i];
        const bool is_auto = it->may_be_auto && it->value == BKS_AUTO;
        if (!is_auto && (it->value < it->least || it->value > it->greatest)) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, it->field,
                             "%s is %u, must be %u..%u%s", it->field, (unsigned)it->value,
                             (unsigned)it->least, (unsigned)it->greatest,
                             it->may_be_auto ? " or BKS_AUTO" : "");
        }
    }
    if (tuning->on_desync == BKS_ON_DESYNC_RESYNC && tuning->keep_ticks == 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "tuning.keep_ticks",
                         "tuning.keep_ticks is 0, must be 1..%u where on_desync is resync: what is "
                         "not kept cannot be repaired",
                         (unsigned)BKS_KEEP_TICKS_MAX);
    }
    return BKS_OK;
}

// ---- the config ----

bks_session_config(bks_session_config_default)(void)
{
    bks_session_config config = {
        .tick_rate_hz = 60,
        .local_players = 1,
        .first_player = BKS_AUTO,
        .players = 2,
        .tuning = bks_tuning_default(),
        .cookie = CONFIG_COOKIE,
    };
    return config;
}

static bks_status check_range(bks_error *error, const char *field, uint64_t value, uint64_t least,
                              uint64_t greatest)
{
    if (value >= least && value <= greatest) {
        return BKS_OK;
    }
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, field, "%s is %llu, must be %llu..%llu",
                     field, (unsigned long long)value, (unsigned long long)least,
                     (unsigned long long)greatest);
}

static bks_status check_secret(bks_error *error, const char *field, const uint8_t *secret)
{
    for (size_t i = 0; i < BKS_KEY_BYTES; i++) {
        if (secret[i] != 0) {
            return BKS_OK;
        }
    }
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, field,
                     "%s is all zero, must be %d random bytes", field, BKS_KEY_BYTES);
}

static bks_status check_secrets(const bks_session_config *config, bks_error *error)
{
    bks_status status = check_secret(error, "key", config->key);
    if (status == BKS_OK) {
        status = check_secret(error, "identity", config->identity);
    }
    return status == BKS_OK ? check_secret(error, "entropy", config->entropy) : status;
}

static bks_status check_game(const bks_session_config *config, bks_error *error)
{
    size_t length = config->game_name == NULL ? 0 : strlen(config->game_name);
    if (length < 1 || length > 31) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "game_name",
                         "game_name has %zu bytes, must have 1..31", length);
    }
    for (size_t i = 0; i < length; i++) {
        if (config->game_name[i] < 0x20 || config->game_name[i] > 0x7e) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "game_name",
                             "game_name has the byte 0x%02x, must be printable ASCII",
                             (unsigned char)config->game_name[i]);
        }
    }
    bks_status status = bks_fields_check(config->fields, config->field_count, error);
    if (status == BKS_OK) {
        status = check_range(error, "tick_rate_hz", config->tick_rate_hz, 1, 1000);
    }
    if (status == BKS_OK) {
        status = check_range(error, "arithmetic", config->arithmetic, 0, ARITHMETIC_MAX);
    }
    return status;
}

static bks_status check_host(const bks_session_config *config, bks_error *error)
{
    if (!config->is_host) {
        const uint32_t last = BKS_PLAYERS_MAX - config->local_players;
        if (config->first_player != BKS_AUTO && config->first_player > last) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "first_player",
                             "first_player is %u, must be 0..%u or BKS_AUTO with local_players %u",
                             (unsigned)config->first_player, (unsigned)last,
                             (unsigned)config->local_players);
        }
        return check_range(error, "host.length", config->host.length, 1, BKS_ADDRESS_BYTES_MAX);
    }
    if (config->first_player != BKS_AUTO && config->first_player != 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "first_player",
                         "first_player is %u, must be 0 or BKS_AUTO on the host",
                         (unsigned)config->first_player);
    }
    if (config->setup == NULL && config->setup_bytes > 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "setup",
                         "setup is NULL, must be set with setup_bytes %zu", config->setup_bytes);
    }
    if (config->first_tick < 0 || config->first_tick > BKS_FIRST_TICK_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "first_tick",
                         "first_tick is %d, must be 0..%d", (int)config->first_tick,
                         BKS_FIRST_TICK_MAX);
    }
    if (config->ticks < 0 || config->ticks > INT32_MAX - config->first_tick) {
        const int32_t most = INT32_MAX - config->first_tick;
        // Do not name first_tick: the caller may use a match config, which lacks this field.
        if (config->first_tick == 0) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "ticks",
                             "ticks is %d, must be 0..%d", (int)config->ticks, (int)most);
        }
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "ticks",
                         "ticks is %d, must be 0..%d with first_tick %d", (int)config->ticks,
                         (int)most, (int)config->first_tick);
    }
    bks_status status =
        check_range(error, "players", config->players, config->local_players, BKS_PLAYERS_MAX);
    if (status == BKS_OK) {
        status = check_range(error, "setup_bytes", config->setup_bytes, 0, BKS_SETUP_BYTES_MAX);
    }
    return status;
}

static bks_status check_commands(const bks_session_config *config, bks_error *error)
{
    if (config->command_bytes_max == 0 && config->command_room_bytes == 0) {
        return BKS_OK;
    }
    BKSI_TRY(check_range(error, "command_bytes_max", config->command_bytes_max, 1,
                         BKS_COMMAND_BYTES_MAX));
    if (config->command_room_bytes != 0) {
        BKSI_TRY(check_range(error, "command_room_bytes", config->command_room_bytes,
                             config->command_bytes_max + BKSI_COMMAND_HEAD_BYTES,
                             BKS_COMMAND_ROOM_MAX));
    }
    return BKS_OK;
}

bks_status bksi_session_config_check(const bks_session_config *config, bks_error *error)
{
    if (config->cookie != CONFIG_COOKIE) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "cookie",
                         "cookie is wrong, the config must come from bks_session_config_default()");
    }
    bks_status status = check_game(config, error);
    if (status == BKS_OK) {
        status = check_secrets(config, error);
    }
    if (status == BKS_OK) {
        status = check_range(error, "local_players", config->local_players, 1, BKS_PLAYERS_MAX);
    }
    if (status == BKS_OK) {
        status = check_host(config, error);
    }
    if (status == BKS_OK) {
        status = bksi_ranges_check(config->ranges, config->range_count, LOG_ID, error);
    }
    if (status == BKS_OK) {
        status = bksi_tuning_check(&config->tuning, LOG_ID, error);
    }
    if (status == BKS_OK) {
        status = check_commands(config, error);
    }
    if (status == BKS_OK && config->votes == NULL && config->votes_bytes > 0) {
        status = bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "votes",
                           "votes is NULL, must be set with votes_bytes %zu", config->votes_bytes);
    }
    if (status == BKS_OK && !bksi_allocator_ok(&config->allocator)) {
        status = bksi_fail(error, BKS_ERR_BAD_CONFIG, LOG_ID, "allocator",
                           "allocator has one of alloc and release, must have both or neither");
    }
    return status;
}

uint32_t bksi_session_delay_most(const bks_session_config *config)
{
    const uint32_t delay = config->tuning.delay_ticks;
    return config->command_bytes_max > 0 && bksi_session_is_alone(config) && delay != BKS_AUTO
               ? delay
               : BKS_DELAY_MAX;
}

/// Get the number of ticks that share the room for commands. In a match of several machines it is
/// the same for all peers and suffices for any window and delay that a peer may have, with repairs
/// or without.
static uint32_t room_ticks_of(const bks_session_config *config)
{
    const bks_tuning *tuning = &config->tuning;
    const bool is_alone = bksi_session_is_alone(config);
    const uint32_t window = is_alone ? tuning->window_ticks : BKS_WINDOW_MAX;
    const uint32_t ahead = window + bksi_session_delay_most(config) + 1;
    const uint32_t repaired = BKSI_HELD_TICKS_MAX + 2 * ahead;
    uint32_t ticks = 3 * ahead > HELD_TICKS_MIN ? 3 * ahead : HELD_TICKS_MIN;
    if ((!is_alone || tuning->on_desync == BKS_ON_DESYNC_RESYNC) && repaired > ticks) {
        ticks = repaired;
    }
    return ticks;
}

bksi_command_config bksi_session_command_config(const bks_session_config *config)
{
    return (bksi_command_config){
        .bytes_max = config->command_bytes_max,
        .room_bytes =
            config->command_room_bytes > 0 ? config->command_room_bytes : COMMAND_ROOM_BYTES,
        .room_ticks = room_ticks_of(config),
    };
}

int32_t bksi_session_wanted_seat(const bks_session_config *config)
{
    return config->first_player == BKS_AUTO ? -1 : (int32_t)config->first_player;
}
