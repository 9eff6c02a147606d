// SPDX-License-Identifier: MIT

#include "game/game_variant.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/state.h"
#include "base/tool.h"

/// The game that the variant wraps, and the size of its state.
static const bks_game *inner;
static size_t inner_bytes;

// ---- the variant's own guesses ----

/// Make a guess that is often wrong and that also depends on the state's first byte.
static void guess_badly(const void *state, uint32_t player, bks_tick tick, bks_tick last_tick,
                        const int32_t *last, int32_t *guess)
{
    const uint32_t kind = ((uint32_t)tick / 5 + player + *(const uint8_t *)state % 2) % 3;
    if (kind == 0) {
        guess[0] = last[0] == 0 ? 1 : 0;
    } else if (kind == 1) {
        guess[inner->field_count - 1] = (tick - last_tick) % 7 - 3;
    }
}

// ---- a state in the variant's own memory ----

/// Return a copy of a start whose `game` is the game that the variant wraps.
static bks_start start_of_inner(const bks_start *start)
{
    bks_start own = *start;
    own.game = inner;
    return own;
}

static void *create(const bks_start *start)
{
    void *state = calloc(1, inner_bytes);
    if (state != NULL) {
        const bks_start own = start_of_inner(start);
        inner->init(state, &own);
    }
    return state;
}

static void init_again(void *state, const bks_start *start)
{
    const bks_start own = start_of_inner(start);
    memset(state, 0, inner_bytes);
    inner->init(state, &own);
}

static size_t save(const void *state, void *bytes, size_t capacity_bytes)
{
    if (capacity_bytes < inner_bytes) {
        return 0;
    }
    memcpy(bytes, state, inner_bytes);
    return inner_bytes;
}

static bool load(void *state, const void *bytes, size_t count_bytes)
{
    if (count_bytes != inner_bytes) {
        return false;
    }
    memcpy(state, bytes, inner_bytes);
    return true;
}

static void hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, inner_bytes);
}

// ---- making the variant ----

int game_variant_read(const char *option, const char *text, uint32_t *out_bits)
{
    *out_bits = 0;
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, ",");
        if (length == 7 && strncmp(text, "predict", length) == 0) {
            *out_bits |= GAME_GUESSES;
        } else if (length == 6 && strncmp(text, "create", length) == 0) {
            *out_bits |= GAME_CREATES;
        } else if (length == 8 && strncmp(text, "commands", length) == 0) {
            *out_bits |= GAME_ORDERS;
        } else {
            tool_complain(option,
                          "has '%.*s', expected predict, create, commands, with commas between",
                          (int)length, text);
            return TOOL_MISUSE;
        }
        text += length + (text[length] == ',' ? 1 : 0);
    }
    return TOOL_OK;
}

const char *game_variant_text(uint32_t bits)
{
    static const char *const texts[] = {
        "",         "predict",          "create",          "predict,create",
        "commands", "predict,commands", "create,commands", "predict,create,commands"};
    return texts[bits % 8];
}

/// Find out the size of the state of the game that the variant wraps. Errors go to stderr.
/// @return TOOL_OK or TOOL_MISUSE
static int find_bytes(const bks_game *game, const bks_option_values *options)
{
    const bks_start start = {
        .game = game, .players = 1, .tick_rate_hz = game->tick_rate_hz, .options = options};
    bks_error error = {0};
    inner_bytes = game->state_bytes;
    if (game->configure != NULL && game->configure(&start, &inner_bytes, &error) != BKS_OK) {
        tool_complain_error("--option", &error);
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

int game_variant_make(const bks_game *game, const bks_option_values *options, uint32_t bits,
                      bks_game *out)
{
    *out = *game;
    inner = game;
    if ((bits & GAME_GUESSES) != 0) {
        out->predict = guess_badly;
    }
    if ((bits & GAME_ORDERS) != 0 && game->command_bytes_max == 0) {
        out->command_bytes_max = GAME_ORDER_BYTES;
    }
    if ((bits & GAME_CREATES) == 0) {
        return TOOL_OK;
    }
    if (game->create != NULL || game->root_bytes > 0 || game->pointers) {
        tool_complain("--with create",
                      "%s has its own memory, an arena or pointers, expected a "
                      "game whose state is one region",
                      game->name);
        return TOOL_MISUSE;
    }
    out->check = NULL; // the game's check may ask for the region, which a variant does not have
    out->configure = NULL;
    out->state_bytes = 0;
    out->create = create;
    out->init = init_again;
    out->destroy = free;
    out->save = save;
    out->load = load;
    out->hash = hash;
    const int status = find_bytes(game, options);
    out->save_bytes_max = inner_bytes;
    return status;
}
