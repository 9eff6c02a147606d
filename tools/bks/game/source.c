// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "game/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"
#include "base/tool.h"
#include "game/source_file.h"

typedef struct seat_source {
    source_kind kind;
    const char *spec;  ///< SOURCE as the user typed it
    bool is_named;     ///< true: the user typed the seat's number
    uint64_t seed;     ///< SOURCE_MONKEY: seed of the monkey
    bks_monkey monkey; ///< SOURCE_MONKEY: made at the first sample, when the seat is known
    bool is_awake;     ///< SOURCE_MONKEY: `monkey` has been made
    bks_bot bot;       ///< SOURCE_BOT: bot of the game
    source_file *file; ///< SOURCE_INPUT_LOG, SOURCE_REPLAY: the file, which seats may share
    /// SOURCE_INPUT_LOG, SOURCE_REPLAY: player in the file. -1: the player with the number of the
    /// seat.
    int32_t file_player;
    command_cursor commands; ///< SOURCE_INPUT_LOG, SOURCE_REPLAY: next command of the file
    int32_t device[BKS_FIELDS_MAX];
} seat_source;

struct source_set {
    const bks_game *game;
    uint32_t players;
    bool has_failed; ///< true: a file lacked an input that a match asked for
    bool has_warned;
    uint32_t failed_player; ///< seat of the missing input
    bks_tick failed_tick;   ///< tick of the missing input
    uint32_t file_count;
    source_file *files[BKS_PLAYERS_MAX];
    seat_source seats[BKS_PLAYERS_MAX];
};

static int reject(const char *spec, const char *why)
{
    char what[512];
    snprintf(what, sizeof(what), "--input '%s'", spec);
    tool_complain(what, "%s", why);
    return TOOL_MISUSE;
}

static int parse_monkey(seat_source *seat, const char *rest, uint64_t seed)
{
    seat->kind = SOURCE_MONKEY;
    seat->seed = seed;
    if (rest[0] == '\0') {
        return TOOL_OK;
    }
    int64_t number = 0;
    if (rest[0] != ':' || !args_number(rest + 1, &number) || number < 0) {
        return reject(seat->spec, "has no valid seed, expected monkey or monkey:SEED with a whole "
                                  "number from 0 on");
    }
    seat->seed = (uint64_t)number;
    return TOOL_OK;
}

// Read ":FILE[:PLAYER]" and open the file. If a number follows the last colon, it is the player.
static int parse_file(source_set *set, seat_source *seat, const char *rest)
{
    if (rest[0] != ':' || rest[1] == '\0') {
        return reject(seat->spec, "names no file, expected trace:FILE[:PLAYER] or "
                                  "replay:FILE.bks[:PLAYER]");
    }
    char path[4096];
    snprintf(path, sizeof(path), "%s", rest + 1);
    seat->file_player = -1;
    char *colon = strrchr(path, ':');
    int64_t player = 0;
    if (colon != NULL && args_number(colon + 1, &player)) {
        if (player < 0 || player >= BKS_PLAYERS_MAX) {
            return reject(seat->spec, "has no valid player, expected 0 to 15");
        }
        seat->file_player = (int32_t)player;
        *colon = '\0';
    }
    for (uint32_t i = 0; i < set->file_count; i++) {
        if (source_file_is(set->files[i], seat->kind == SOURCE_REPLAY, path)) {
            seat->file = set->files[i];
            return TOOL_OK;
        }
    }
    const int status = source_file_open(path, seat->kind == SOURCE_REPLAY, set->game, &seat->file);
    if (status == TOOL_OK) {
        set->files[set->file_count++] = seat->file;
    }
    return status;
}

static bool begins_with(const char *text, const char *word, const char **rest)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] != '\0' && text[length] != ':')) {
        return false;
    }
    *rest = text + length;
    return true;
}

static int parse_source(source_set *set, seat_source *seat, const char *spec, uint64_t seed)
{
    seat->spec = spec;
    const char *rest = "";
    if (strcmp(spec, "device") == 0) {
        seat->kind = SOURCE_DEVICE;
        return TOOL_OK;
    }
    if (strcmp(spec, "idle") == 0) {
        seat->kind = SOURCE_IDLE;
        return TOOL_OK;
    }
    if (strcmp(spec, "bot") == 0) {
        seat->kind = SOURCE_BOT;
        if (set->game->bot == NULL || bks_bot_init(&seat->bot, set->game, NULL) != BKS_OK) {
            return reject(spec, "this game has no bots, expected another source");
        }
        return TOOL_OK;
    }
    if (begins_with(spec, "monkey", &rest)) {
        return parse_monkey(seat, rest, seed);
    }
    if (begins_with(spec, "trace", &rest)) {
        seat->kind = SOURCE_INPUT_LOG;
        return parse_file(set, seat, rest);
    }
    if (begins_with(spec, "replay", &rest)) {
        seat->kind = SOURCE_REPLAY;
        return parse_file(set, seat, rest);
    }
    return reject(spec, "is no source, expected device, idle, monkey[:SEED], bot, "
                        "trace:FILE[:PLAYER] or replay:FILE.bks[:PLAYER]");
}

// Choose the SOURCE of each seat, as text. Errors go to stderr.
// @param own    receives a text for each seat that is named, NULL for the others
// @param specs  receives a text for each of env->players seats
static int assign(const args_list *given, const char *fallback, const source_env *env,
                  const char *own[BKS_PLAYERS_MAX], const char **specs)
{
    const char *rest = fallback;
    for (uint32_t i = 0; i < given->count; i++) {
        const char *item = given->items[i];
        const char *equals = strchr(item, '=');
        if (equals == NULL || equals == item) {
            return reject(item, "names no player, expected P=SOURCE or *=SOURCE");
        }
        if (item[0] == '*' && equals == item + 1) {
            rest = equals + 1;
            continue;
        }
        char number[32];
        int64_t player = 0;
        snprintf(number, sizeof(number), "%.*s", (int)(equals - item), item);
        if (!args_number(number, &player) || player < 0 || player >= env->players) {
            char why[128];
            snprintf(why, sizeof(why), "'%s' is no player, expected * or 0 to %" PRIu32, number,
                     env->players - 1);
            return reject(item, why);
        }
        own[player] = equals + 1;
    }
    for (uint32_t i = 0; i < env->players; i++) {
        specs[i] = own[i] != NULL ? own[i] : rest;
    }
    return TOOL_OK;
}

int source_set_open(const args_list *given, const char *fallback, const source_env *env,
                    source_set **out)
{
    *out = NULL;
    const char *own[BKS_PLAYERS_MAX] = {NULL};
    const char *specs[BKS_PLAYERS_MAX];
    int status = assign(given, fallback, env, own, specs);
    if (status != TOOL_OK) {
        return status;
    }
    source_set *set = calloc(1, sizeof(*set));
    if (set == NULL) {
        tool_complain("--input", "out of memory");
        return TOOL_DAMAGED;
    }
    set->game = env->game;
    set->players = env->players;
    for (uint32_t i = 0; i < env->players && status == TOOL_OK; i++) {
        seat_source *seat = &set->seats[i];
        seat->is_named = own[i] != NULL;
        for (uint32_t k = 0; k < env->game->field_count; k++) {
            seat->device[k] = env->game->fields[k].neutral;
        }
        status = parse_source(set, seat, specs[i], env->seed);
    }
    if (status != TOOL_OK) {
        source_set_close(set);
        return status;
    }
    *out = set;
    return TOOL_OK;
}

void source_set_close(source_set *set)
{
    if (set == NULL) {
        return;
    }
    for (uint32_t i = 0; i < set->file_count; i++) {
        source_file_close(set->files[i]);
    }
    free(set);
}

void source_set_rewind(source_set *set)
{
    for (uint32_t i = 0; i < set->players; i++) {
        set->seats[i].is_awake = false;
        set->seats[i].commands = (command_cursor){0};
        memset(set->seats[i].bot.memory, 0, sizeof(set->seats[i].bot.memory));
    }
}

void source_set_rewind_context(void *context)
{
    source_set_rewind(context);
}

bool source_set_is_scripted(const source_set *set, uint32_t players)
{
    for (uint32_t i = 0; i < players; i++) {
        if (source_set_kind(set, i) == SOURCE_BOT) {
            return false;
        }
    }
    return true;
}

static uint32_t file_player(const seat_source *seat, uint32_t player)
{
    return seat->file_player >= 0 ? (uint32_t)seat->file_player : player;
}

int source_set_check(const source_set *set, uint32_t first, uint32_t count, bks_tick ticks)
{
    for (uint32_t i = first; i < first + count && i < set->players; i++) {
        const seat_source *seat = &set->seats[i];
        if (seat->file != NULL) {
            const int status = source_file_check(seat->file, file_player(seat, i), ticks);
            if (status != TOOL_OK) {
                return status;
            }
        }
    }
    return TOOL_OK;
}

void source_set_warn(const source_set *set, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < set->players; i++) {
        const seat_source *seat = &set->seats[i];
        if (seat->is_named && i - first >= count) { // wraps for seats before ours
            char what[512];
            (void)snprintf(what, sizeof(what), "--input '%" PRIu32 "=%s'", i, seat->spec);
            tool_complain(what,
                          "has no effect, because player %" PRIu32
                          " is not played here, expected %" PRIu32 " to %" PRIu32,
                          i, first, first + count - 1);
        }
    }
}

static void ask(bks_source source, const bks_sample *sample, int32_t *values)
{
    source.sample(source.context, sample, values);
}

// Make the monkey at its first sample. A match may begin with a later tick: an input of a monkey
// depends on all those before it, from tick 0 on.
static bks_source monkey_of(const source_set *set, seat_source *seat, const bks_sample *sample)
{
    const bks_source source = bks_monkey_source(&seat->monkey);
    if (!seat->is_awake) {
        bks_error error;
        int32_t values[BKS_FIELDS_MAX];
        seat->is_awake = bks_monkey_init(&seat->monkey, set->game->fields, set->game->field_count,
                                         seat->seed, sample->player, SOURCE_MONKEY_HOLD_MIN,
                                         SOURCE_MONKEY_HOLD_MAX, &error) == BKS_OK;
        for (bks_tick tick = 0; tick < sample->tick && seat->is_awake; tick++) {
            ask(source, sample, values);
        }
    }
    return source;
}

static void sample_seat(void *context, const bks_sample *sample, int32_t *values)
{
    source_set *set = context;
    if (sample->player >= set->players) {
        return;
    }
    seat_source *seat = &set->seats[sample->player];
    switch (seat->kind) {
    case SOURCE_DEVICE:
        memcpy(values, seat->device, sample->field_count * sizeof(*values));
        break;
    case SOURCE_IDLE:
        break;
    case SOURCE_MONKEY:
        ask(monkey_of(set, seat, sample), sample, values);
        break;
    case SOURCE_BOT:
        ask(bks_bot_source(&seat->bot), sample, values);
        break;
    case SOURCE_INPUT_LOG:
    case SOURCE_REPLAY:
        if (!source_file_input(seat->file, file_player(seat, sample->player), sample->tick,
                               values) &&
            !set->has_failed) {
            set->has_failed = true;
            set->failed_player = sample->player;
            set->failed_tick = sample->tick;
        }
        break;
    }
}

static size_t command_of_seat(void *context, const bks_sample *sample, void *bytes, size_t capacity)
{
    source_set *set = context;
    seat_source *seat = sample->player < set->players ? &set->seats[sample->player] : NULL;
    if (seat != NULL && seat->kind == SOURCE_MONKEY) {
        const bks_source monkey = monkey_of(set, seat, sample);
        return monkey.command(monkey.context, sample, bytes, capacity);
    }
    return seat == NULL || seat->file == NULL
               ? 0
               : command_list_give(source_file_commands(seat->file), &seat->commands,
                                   file_player(seat, sample->player), sample->tick, bytes,
                                   capacity);
}

bks_source source_set_source(source_set *set)
{
    return (bks_source){.sample = sample_seat, .context = set, .command = command_of_seat};
}

source_kind source_set_kind(const source_set *set, uint32_t player)
{
    return player < set->players ? set->seats[player].kind : SOURCE_IDLE;
}

int32_t *source_set_device(source_set *set, uint32_t player)
{
    return set->seats[player < set->players ? player : 0].device;
}

int source_set_failed(source_set *set)
{
    if (!set->has_failed) {
        return TOOL_OK;
    }
    if (!set->has_warned) {
        set->has_warned = true;
        const seat_source *seat = &set->seats[set->failed_player];
        (void)source_file_check(seat->file, file_player(seat, set->failed_player),
                                set->failed_tick + 1);
    }
    return TOOL_DAMAGED;
}
