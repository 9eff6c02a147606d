// SPDX-License-Identifier: MIT

#include "peer/peer_config.h"

#include "backstitch/toolkit/runner.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "game/options.h"
#include "replay/write/packed_writer.h"
#include <string.h>

#define BUILD_BYTES_MAX 63u

static bks_status check_start_tick(const bks_peer_config *config, const char *call,
                                   bks_error *error)
{
    const bks_tick tick = config->start_tick;
    const bool has_state = config->start_state != NULL;
    const bks_tick least = has_state ? 1 : 0;
    const bks_tick most = has_state ? BKS_FIRST_TICK_MAX : 0;
    if (tick < least || tick > most) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "start_tick",
                         "start_tick is %d, must be %d..%d %s", (int)tick, (int)least, (int)most,
                         has_state ? "with start_state, because tick 0 is what init makes"
                                   : "without start_state");
    }
    const bks_tick ticks_max = INT32_MAX - tick;
    if (config->session.is_host && tick > 0 &&
        (config->session.ticks < 0 || config->session.ticks > ticks_max)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "ticks",
                         "ticks is %d, must be 0..%d with start_tick %d",
                         (int)config->session.ticks, (int)ticks_max, (int)tick);
    }
    return BKS_OK;
}

static bks_status check_start_state(const bks_peer_config *config, const char *call,
                                    bks_error *error)
{
    if ((config->start_state == NULL) != (config->start_state_bytes == 0)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "start_state_bytes",
                         "start_state_bytes is %zu, must be %s", config->start_state_bytes,
                         config->start_state == NULL ? "0 without start_state"
                                                     : "the size of start_state");
    }
    if (config->start_state != NULL && config->game->pointers) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "start_state",
                         "start_state is set, must be NULL: the state of %s holds raw pointers, "
                         "which are of no use in another region",
                         config->game->name);
    }
    return BKS_OK;
}

/// Check the build text, which goes into the recording.
static bks_status check_build(const char *build, const char *call, bks_error *error)
{
    size_t length = 0;
    while (build != NULL && length <= BUILD_BYTES_MAX && build[length] >= 0x20 &&
           build[length] <= 0x7e) {
        length++;
    }
    if (build != NULL && (length > BUILD_BYTES_MAX || build[length] != '\0')) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "build",
                         "build is \"%.*s\"..., must be 0..%u bytes of printable ASCII",
                         (int)length, build, BUILD_BYTES_MAX);
    }
    return BKS_OK;
}

static bks_status check_sync_test(uint32_t ticks, const char *call, bks_error *error)
{
    return ticks <= BKS_SYNC_TEST_TICKS_MAX
               ? BKS_OK
               : bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "sync_test_ticks",
                           "sync_test_ticks is %u, must be 0..%d", ticks, BKS_SYNC_TEST_TICKS_MAX);
}

/// Refuse pictures of a game with raw pointers, because a picture is a copy at another address.
static bks_status check_pictures(const bks_peer_config *config, const char *call, bks_error *error)
{
    const bks_game *game = config->game;
    if (config->pictures == BKS_PICTURES_NONE) {
        return BKS_OK;
    }
    if ((uint32_t)config->pictures > BKS_PICTURES_INTERPOLATE) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "pictures",
                         "pictures is %u, must be 0..%d", (uint32_t)config->pictures,
                         BKS_PICTURES_INTERPOLATE);
    }
    if (game->create != NULL || game->pointers) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "pictures",
                         "pictures is %d, must be BKS_PICTURES_NONE: the state of %s %s",
                         (int)config->pictures, game->name,
                         game->pointers ? "holds raw pointers" : "does not live in a region");
    }
    if (config->pictures == BKS_PICTURES_EXTRAPOLATE && game->extrapolate == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "pictures",
                         "pictures is BKS_PICTURES_EXTRAPOLATE and %s has no `extrapolate`, must "
                         "be BKS_PICTURES_INTERPOLATE or _NONE",
                         game->name);
    }
    return BKS_OK;
}

bks_status bksi_peer_config_check(const bks_peer_config *config, const char *call, bks_error *error)
{
    BKSI_TRY(bks_game_check(config->game, error));
    if (config->has_options) {
        BKSI_TRY(bksi_option_values_check(config->game, &config->options, call, error));
    }
    BKSI_TRY(check_start_state(config, call, error));
    BKSI_TRY(check_start_tick(config, call, error));
    BKSI_TRY(check_pictures(config, call, error));
    BKSI_TRY(check_build(config->build, call, error));
    BKSI_TRY(bksi_record_detail_check(&config->record_detail, config->game, call, error));
    BKSI_TRY(check_sync_test(config->sync_test_ticks, call, error));
    if (!bksi_allocator_ok(&config->session.allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    return BKS_OK;
}

size_t bksi_setup_write(const bks_game *game, const bks_option_values *values, uint8_t *bytes,
                        size_t capacity)
{
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, capacity);
    bksi_write_u8(&writer, (uint8_t)game->option_count);
    for (uint32_t i = 0; i < game->option_count; i++) {
        bksi_write_text(&writer, values->text[i]);
    }
    return writer.failed ? 0 : writer.at;
}

uint64_t bksi_setup_form(const bks_game *game)
{
    uint64_t form = game->option_count;
    for (uint32_t i = 0; i < game->option_count; i++) {
        const char *name = game->options[i].name;
        form = bksi_hash64(name, strlen(name), form);
    }
    if (game->command_bytes_max > 0) {
        form = bksi_hash64_pair(form,
                                (uint64_t)game->command_bytes_max << 32 | game->command_room_bytes);
    }
    return form;
}

_Static_assert(BKS_OPTIONS_MAX < BKSI_SETUP_HAS_STATE, "the number of options leaves the bit free");

bool bksi_setup_has_state(const void *bytes, size_t count)
{
    return count > 0 && (*(const uint8_t *)bytes & BKSI_SETUP_HAS_STATE) != 0;
}

bool bksi_setup_read(const bks_game *game, const uint8_t *bytes, size_t count,
                     bks_option_values *values)
{
    memset(values, 0, sizeof(*values));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    if ((bksi_read_u8(&reader) & ~BKSI_SETUP_HAS_STATE) != game->option_count) {
        return false;
    }
    for (uint32_t i = 0; i < game->option_count; i++) {
        bksi_read_text(&reader, values->text[i], BKS_OPTION_VALUE_BYTES);
    }
    return !reader.failed && bksi_byte_reader_left(&reader) == 0;
}
