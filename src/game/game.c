// SPDX-License-Identifier: MIT

#include "backstitch/game.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "backstitch/toolkit/state_map.h"
#include "base/report.h"
#include "state/place.h"
#include "state/region.h"

#define GAME_NAME_BYTES_MAX   31
#define GAME_STATE_BYTES_MAX  (UINT64_C(1) << 30)
#define GAME_TICK_RATE_HZ_MAX 1000u
#define CUE_NAME_BYTES_MAX    31
#define CUE_MOVES_TICKS_MAX   60u

static const char call[] = "bks_game_check";

/// Return true if a name has 1..most bytes of printable ASCII, because names go into packets and
/// file names.
static bool is_name(const char *text, size_t most)
{
    if (text == NULL || text[0] == '\0') {
        return false;
    }
    size_t length = 0;
    for (; text[length] != '\0'; length++) {
        if (length == most || text[length] < 0x20 || text[length] > 0x7e) {
            return false;
        }
    }
    return true;
}

static bks_status refuse_number(bks_error *error, const char *field, uint64_t value, uint64_t least,
                                uint64_t most)
{
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field, "%s is %llu, must be %llu..%llu",
                     field, (unsigned long long)value, (unsigned long long)least,
                     (unsigned long long)most);
}

static bks_status refuse_missing(bks_error *error, const char *field, const char *why)
{
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field, "%s is NULL, must be set: %s", field,
                     why);
}

static bks_status check_numbers(const bks_game *game, bks_error *error)
{
    if (!is_name(game->name, GAME_NAME_BYTES_MAX)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "name",
                         "name is \"%.40s\", must be 1..%d bytes of printable ASCII",
                         game->name != NULL ? game->name : "", GAME_NAME_BYTES_MAX);
    }
    if (game->tick_rate_hz < 1 || game->tick_rate_hz > GAME_TICK_RATE_HZ_MAX) {
        return refuse_number(error, "tick_rate_hz", game->tick_rate_hz, 1, GAME_TICK_RATE_HZ_MAX);
    }
    uint32_t least = game->players_min > 0 ? game->players_min : 1;
    if (game->players_min > BKS_PLAYERS_MAX) {
        return refuse_number(error, "players_min", game->players_min, 0, BKS_PLAYERS_MAX);
    }
    if (game->players_max < least || game->players_max > BKS_PLAYERS_MAX) {
        return refuse_number(error, "players_max", game->players_max, least, BKS_PLAYERS_MAX);
    }
    return BKS_OK;
}

static bks_status check_option(const bks_game *game, uint32_t index, bks_error *error)
{
    const bks_option *option = &game->options[index];
    if (!is_name(option->name, BKS_OPTION_VALUE_BYTES - 1)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "options",
                         "options[%u].name is \"%.40s\", must be 1..%d bytes of printable ASCII",
                         index, option->name != NULL ? option->name : "",
                         BKS_OPTION_VALUE_BYTES - 1);
    }
    if (option->default_value == NULL ||
        (option->default_value[0] != '\0' &&
         !is_name(option->default_value, BKS_OPTION_VALUE_BYTES - 1))) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "options",
                         "options[%u] (%s) has the default \"%.40s\", must be 0..%d bytes of "
                         "printable ASCII",
                         index, option->name,
                         option->default_value != NULL ? option->default_value : "(NULL)",
                         BKS_OPTION_VALUE_BYTES - 1);
    }
    for (uint32_t other = 0; other < index; other++) {
        if (strcmp(game->options[other].name, option->name) == 0) {
            return bksi_fail(
                error, BKS_ERR_BAD_CONFIG, call, "options",
                "options[%u].name is \"%s\", must be unique but options[%u] has it too", index,
                option->name, other);
        }
    }
    return BKS_OK;
}

static bks_status check_options(const bks_game *game, bks_error *error)
{
    if (game->option_count > BKS_OPTIONS_MAX) {
        return refuse_number(error, "option_count", game->option_count, 0, BKS_OPTIONS_MAX);
    }
    if (game->option_count > 0 && game->options == NULL) {
        return refuse_missing(error, "options", "option_count is above 0");
    }
    for (uint32_t i = 0; i < game->option_count; i++) {
        BKSI_TRY(check_option(game, i, error));
    }
    return BKS_OK;
}

/// Check that a description of the state, `types` or `map`, has the size of the game's root.
static bks_status check_root(const bks_game *game, const char *field, uint64_t root_bytes,
                             bks_error *error)
{
    const uint64_t wanted = game->root_bytes;
    const uint64_t most = game->create != NULL      ? game->save_bytes_max
                          : game->configure != NULL ? GAME_STATE_BYTES_MAX
                                                    : game->state_bytes;
    if (wanted > 0 ? root_bytes != wanted : root_bytes > most) {
        return bksi_fail(
            error, BKS_ERR_BAD_CONFIG, call, field, "%s names a root of %llu bytes, must be %llu%s",
            field, (unsigned long long)root_bytes, (unsigned long long)(wanted > 0 ? wanted : most),
            wanted > 0 ? ", the game's root_bytes" : " at most");
    }
    return BKS_OK;
}

/// Check the descriptions of the state: ranges, types and map.
static bks_status check_names(const bks_game *game, bks_error *error)
{
    BKSI_TRY(bksi_ranges_check(game->ranges, game->range_count, call, error));
    BKSI_TRY(bks_type_entries_check(game->types, game->type_count, error));
    for (uint32_t i = 0; i < game->type_count; i++) {
        if (game->types[i].kind == BKS_TYPE_IS_ROOT) {
            BKSI_TRY(check_root(game, "types", game->types[i].of_bytes, error));
        }
    }
    if (game->map == NULL) {
        return BKS_OK;
    }
    BKSI_TRY(bks_state_map_check(game->map, error));
    if (game->map->has_arena != (game->root_bytes > 0)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "map",
                         "map has%s arena, but root_bytes is %zu",
                         game->map->has_arena ? " an" : " no", game->root_bytes);
    }
    return check_root(game, "map", game->map->types[0].bytes, error);
}

/// Check the sizes of a game that keeps its state in the library's region.
static bks_status check_region(const bks_game *game, bks_error *error)
{
    if (game->configure == NULL) {
        // A game with a root needs room for the arena after the root, too.
        uint64_t least = 1;
        if (game->root_bytes > 0 && game->root_bytes <= GAME_STATE_BYTES_MAX) {
            least = bksi_region_bytes_min(game->root_bytes);
        }
        if (game->state_bytes < least || game->state_bytes > GAME_STATE_BYTES_MAX) {
            if (game->root_bytes == 0) {
                return refuse_number(error, "state_bytes", game->state_bytes, least,
                                     GAME_STATE_BYTES_MAX);
            }
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "state_bytes",
                             "state_bytes is %llu, must be %llu..%u with root_bytes %llu: the "
                             "arena after the root needs room",
                             (unsigned long long)game->state_bytes, (unsigned long long)least,
                             (unsigned)GAME_STATE_BYTES_MAX, (unsigned long long)game->root_bytes);
        }
    }
    if (game->root_bytes > GAME_STATE_BYTES_MAX) {
        return refuse_number(error, "root_bytes", game->root_bytes, 0, GAME_STATE_BYTES_MAX);
    }
    return BKS_OK;
}

/// Check a game that manages its own state.
static bks_status check_own_state(const bks_game *game, bks_error *error)
{
    static const char why[] = "create, destroy, save, load and hash go together";
    if (game->create == NULL) {
        return refuse_missing(error, "create", why);
    }
    if (game->destroy == NULL) {
        return refuse_missing(error, "destroy", why);
    }
    if (game->save == NULL) {
        return refuse_missing(error, "save", why);
    }
    if (game->load == NULL) {
        return refuse_missing(error, "load", why);
    }
    if (game->hash == NULL) {
        return refuse_missing(error, "hash", why);
    }
    if (game->save_bytes_max < 1 || game->save_bytes_max > GAME_STATE_BYTES_MAX) {
        return refuse_number(error, "save_bytes_max", game->save_bytes_max, 1,
                             GAME_STATE_BYTES_MAX);
    }
    if (game->state_bytes != 0) {
        return refuse_number(error, "state_bytes", game->state_bytes, 0, 0);
    }
    return game->root_bytes == 0 ? BKS_OK
                                 : refuse_number(error, "root_bytes", game->root_bytes, 0, 0);
}

/// Check the use of raw pointers. Their values differ between processes, so they can be neither
/// hashed nor sent.
static bks_status check_pointers(const bks_game *game, bks_error *error)
{
    if (!game->pointers) {
        return BKS_OK;
    }
    if (game->create != NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "pointers",
                         "pointers is true beside create, must be false: `save` has to write bytes "
                         "that another process can load");
    }
    return game->hash != NULL
               ? BKS_OK
               : refuse_missing(error, "hash",
                                "pointers is true, and their values differ between processes");
}

static bks_status check_cue(const bks_game *game, uint32_t index, bks_error *error)
{
    const bks_cue_type *cue = &game->cues[index];
    char field[32];
    (void)snprintf(field, sizeof(field), "cues[%u]", index);
    if (!is_name(cue->name, CUE_NAME_BYTES_MAX)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s has the name \"%.40s\", must be 1..%d bytes of printable ASCII", field,
                         cue->name != NULL ? cue->name : "", CUE_NAME_BYTES_MAX);
    }
    if ((uint32_t)cue->when > BKS_CUE_SEEN || cue->moves_ticks > CUE_MOVES_TICKS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s (%s) has when %u and moves_ticks %u, must be 0..%u and 0..%u", field,
                         cue->name, (unsigned)cue->when, cue->moves_ticks, (unsigned)BKS_CUE_SEEN,
                         CUE_MOVES_TICKS_MAX);
    }
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(game->cues[i].name, cue->name) == 0) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                             "%s and cues[%u] are both called %s", field, i, cue->name);
        }
    }
    return BKS_OK;
}

static bks_status check_cues(const bks_game *game, bks_error *error)
{
    if (game->cue_count > BKS_CUE_TYPES_MAX) {
        return refuse_number(error, "cue_count", game->cue_count, 0, BKS_CUE_TYPES_MAX);
    }
    if (game->cue_count > 0 && game->cues == NULL) {
        return refuse_missing(error, "cues", "cue_count is above 0");
    }
    bks_status status = BKS_OK;
    for (uint32_t i = 0; i < game->cue_count && status == BKS_OK; i++) {
        status = check_cue(game, i, error);
    }
    return status;
}

static bks_status check_commands(const bks_game *game, bks_error *error)
{
    const uint32_t most = game->command_bytes_max;
    const uint32_t room = game->command_room_bytes;
    if (most > BKS_COMMAND_BYTES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "command_bytes_max",
                         "command_bytes_max is %u, must be 0..%d", most, BKS_COMMAND_BYTES_MAX);
    }
    if (room != 0 && (most == 0 || room < most + 2 || room > BKS_COMMAND_ROOM_MAX)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "command_room_bytes",
                         "command_room_bytes is %u, must be 0, or command_bytes_max + 2 .. %d in a "
                         "game with commands",
                         room, BKS_COMMAND_ROOM_MAX);
    }
    return BKS_OK;
}

bks_status bks_game_check(const bks_game *game, bks_error *error)
{
    BKSI_REFUSE_NULL(error, game);
    BKSI_TRY(check_numbers(game, error));
    BKSI_TRY(bks_fields_check(game->fields, game->field_count, error));
    BKSI_TRY(check_options(game, error));
    BKSI_TRY(check_names(game, error));
    BKSI_TRY(check_cues(game, error));
    BKSI_TRY(check_commands(game, error));
    if (game->init == NULL) {
        return refuse_missing(error, "init", "it makes the state of tick 0");
    }
    if (game->step == NULL) {
        return refuse_missing(error, "step", "it is the game");
    }
    bool has_own_state = game->create != NULL || game->destroy != NULL || game->save != NULL ||
                         game->load != NULL || game->save_bytes_max != 0;
    BKSI_TRY(has_own_state ? check_own_state(game, error) : check_region(game, error));
    return check_pointers(game, error);
}
