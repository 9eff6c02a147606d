// SPDX-License-Identifier: MIT

#include "base/command.h"

// `bks monkey`: monkeys play all seats of a game on this machine, as fast as possible: on virtual
// time, through the same session and recorder as any match. Their inputs are recorded like any
// input, so `bks run` can repeat a crash that the monkeys found.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/record.h"
#include "backstitch/toolkit/peer.h"
#include "backstitch/toolkit/writer.h"
#include "base/args.h"
#include "base/crash.h"
#include "base/json.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"
#include "game/loader.h"
#include "game/match_options.h"
#include "game/source.h"

// Command line of `bks monkey`.
typedef struct monkey_options {
    args_list positionals;
    args_list given_options;
    args_list forbidden;
    int64_t ticks;
    int64_t seed;
    int64_t players;
    int64_t hold_min;
    int64_t hold_max;
    const char *record_path;
    const char *details;
    bool is_json;
} monkey_options;

// Session whose players are monkeys, and its result.
typedef struct monkey_run {
    const monkey_options *options;
    loaded_game game;
    bks_monkey monkeys[BKS_PLAYERS_MAX];
    bks_record_file file;
    bks_peer *peer;
    bks_tick ticks;
    uint64_t final_hash;
    double wall_s;
} monkey_run;

static int parse(monkey_options *o, int argc, char **argv)
{
    const char *hold = NULL;
    const args_option options[] = {
        ARGS_INT("--ticks", "N", &o->ticks, 1, INT32_MAX, "length in ticks (default 3600)"),
        ARGS_INT("--seed", "N", &o->seed, 0, INT64_MAX,
                 "seed of the monkeys and of the game (default 1)"),
        ARGS_INT("--players", "N", &o->players, 1, BKS_PLAYERS_MAX,
                 "seats, with a monkey each (default: all of the game)"),
        ARGS_TEXT("--hold", "MIN..MAX", &hold,
                  "for how many ticks a field is held (default 5..30)"),
        ARGS_LIST("--forbid", "FIELD=VALUE[+FIELD=VALUE]", &o->forbidden,
                  "never produce this value, or never these together: pause=1, or "
                  "start=1+select=1; may be repeated"),
        ARGS_LIST("--option", "NAME=VALUE", &o->given_options, "set an option of the game"),
        ARGS_TEXT("--record", "FILE", &o->record_path, "record the match (default: not recorded)"),
        ARGS_TEXT("--keep", "LIST", &o->details, RECORD_DETAIL_HELP),
        ARGS_JSON(&o->is_json),
    };
    const args_spec spec = {
        .command = "monkey",
        .usage = "GAME [options]",
        .about =
            "Play random inputs in every seat, at full speed. The monkeys have their own random\n"
            "numbers and do not disturb the game's. Seed S plays what '--input *=monkey:S' plays\n"
            "in a match, unless --hold or --forbid change it.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&o->positionals, 1, 1),
        .more = "examples:\n"
                "  bks monkey duel --ticks 100000 --seed 7 --record wild.bks\n"
                "  bks replay verify wild.bks            is it deterministic?\n"
                "  bks run duel wild.bks                 reproduce a crash",
    };
    const int status = args_parse(&spec, argc, argv);
    if (status == ARGS_GO && hold != NULL &&
        (!args_range(hold, &o->hold_min, &o->hold_max) || o->hold_min < 1 ||
         o->hold_max > 100000)) {
        tool_complain("--hold", "is '%s', expected MIN..MAX ticks, 1 to 100000, MIN at most MAX",
                      hold);
        return TOOL_MISUSE;
    }
    return status;
}

// ---- reading forbidden inputs ----

// Read "FIELD=VALUE" up to a '+' or the end, and move to the text after it.
static bool read_value(const bks_game *game, const char **at, bks_field_value *out)
{
    const size_t length = strcspn(*at, "+");
    char text[128];
    snprintf(text, sizeof(text), "%.*s", (int)length, *at);
    char *equals = strchr(text, '=');
    int64_t value = 0;
    if (equals == NULL || !args_number(equals + 1, &value) || value < INT32_MIN ||
        value > INT32_MAX) {
        return false;
    }
    *equals = '\0';
    *out = (bks_field_value){.field = game->field_count, .value = (int32_t)value};
    for (uint32_t i = 0; i < game->field_count; i++) {
        if (strcmp(game->fields[i].name, text) == 0) {
            out->field = i;
        }
    }
    *at += length + ((*at)[length] == '+' ? 1 : 0);
    return out->field < game->field_count;
}

static int complain_forbidden(const bks_game *game, const char *text)
{
    char names[1024] = "";
    for (uint32_t i = 0; i < game->field_count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                 game->fields[i].name);
    }
    tool_complain("--forbid", "is '%s', expected FIELD=VALUE[+FIELD=VALUE]; %s has %s", text,
                  game->name, names);
    return TOOL_MISUSE;
}

static int forbid(bks_monkey *monkey, const bks_game *game, const char *text)
{
    bks_field_value together[BKS_MONKEY_FORBIDDEN_FIELDS_MAX];
    uint32_t count = 0;
    const char *at = text;
    do {
        if (count == BKS_MONKEY_FORBIDDEN_FIELDS_MAX) {
            tool_complain("--forbid", "'%s' names too many fields, expected up to %d", text,
                          BKS_MONKEY_FORBIDDEN_FIELDS_MAX);
            return TOOL_MISUSE;
        }
        if (!read_value(game, &at, &together[count++])) {
            return complain_forbidden(game, text);
        }
    } while (at[0] != '\0');
    bks_error error = {0};
    if (bks_monkey_forbid(monkey, together, count, &error) != BKS_OK) {
        tool_complain_error("--forbid", &error);
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

static int make_monkeys(monkey_run *r)
{
    const monkey_options *o = r->options;
    const bks_game *game = r->game.game;
    for (uint32_t player = 0; player < (uint32_t)o->players; player++) {
        bks_error error = {0};
        if (bks_monkey_init(&r->monkeys[player], game->fields, game->field_count, (uint64_t)o->seed,
                            player, (uint32_t)o->hold_min, (uint32_t)o->hold_max,
                            &error) != BKS_OK) {
            tool_complain_error(game->name, &error);
            return TOOL_MISUSE;
        }
        for (uint32_t i = 0; i < o->forbidden.count; i++) {
            const int status = forbid(&r->monkeys[player], game, o->forbidden.items[i]);
            if (status != TOOL_OK) {
                return status;
            }
        }
    }
    return TOOL_OK;
}

// ---- playing the match ----

static int open_peer(monkey_run *r)
{
    const monkey_options *o = r->options;
    bks_peer_config config = bks_peer_config_default();
    config.game = r->game.game;
    config.build = r->game.build;
    config.session.arithmetic = r->game.arithmetic;
    config.has_options = true;
    int status = loader_options(config.game, o->given_options.items, o->given_options.count,
                                &config.options);
    if (status != TOOL_OK) {
        return status;
    }
    // Set the secret keys to any value but 0, because 0 is refused. No peer joins, so the keys
    // protect nothing.
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    config.session.is_host = true;
    config.session.players = (uint32_t)o->players;
    config.session.local_players = (uint32_t)o->players;
    config.session.seed = (uint64_t)o->seed;
    config.session.ticks = (bks_tick)o->ticks;
    config.session.tuning.window_ticks = 0;
    config.session.tuning.delay_ticks = 0;
    config.session.tuning.hash_every_ticks = 1;
    for (uint32_t i = 0; i < (uint32_t)o->players; i++) {
        config.sources[i] = bks_monkey_source(&r->monkeys[i]);
    }
    bks_error error = {0};
    const int detail_status = record_detail_read(o->details, &config.record_detail);
    if (detail_status != TOOL_OK) {
        return detail_status;
    }
    if (o->record_path != NULL) {
        if (bks_record_file_open(&r->file, o->record_path, config.game->name, &error) != BKS_OK) {
            tool_complain_error("--record", &error);
            return TOOL_MISUSE;
        }
        config.record = bks_record_file_sink(&r->file);
        crash_recording(r->file.path);
    }
    if (bks_peer_create(&config, &r->peer, &error) != BKS_OK) {
        tool_complain_error(config.game->name, &error);
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

// Run from one due tick to the next until all are played or the user stops it.
static int play(monkey_run *r)
{
    bks_session *session = bks_peer_session(r->peer);
    progress bar;
    progress_begin(&bar, "monkeys at play", (uint64_t)r->options->ticks);
    const uint64_t begun = tool_clock_ns(NULL);
    uint64_t now = 0;
    bks_status status = BKS_OK;
    while (status == BKS_OK && !stop_is_wanted()) {
        status = bks_peer_update(r->peer, now);
        now = bks_peer_wake(r->peer);
        r->ticks = bks_session_tick(session);
        progress_show(&bar, (uint64_t)r->ticks);
    }
    progress_end(&bar);
    r->wall_s = (double)(tool_clock_ns(NULL) - begun) * 1e-9;
    if (status != BKS_OVER || bks_session_hash(session, r->ticks, &r->final_hash) != BKS_OK) {
        tool_complain(r->game.game->name, "ended at tick %" PRId32 " of %" PRId64 ": %s", r->ticks,
                      r->options->ticks,
                      status == BKS_OK ? "stopped by hand" : bks_status_text(status));
        return TOOL_NO;
    }
    return TOOL_OK;
}

static bool print_json(const monkey_run *r)
{
    const monkey_options *o = r->options;
    json out;
    json_begin(&out, stdout);
    json_text(&out, "game", r->game.game->name);
    json_int(&out, "seed", o->seed);
    json_int(&out, "players", o->players);
    json_int(&out, "hold_min", o->hold_min);
    json_int(&out, "hold_max", o->hold_max);
    json_int(&out, "ticks", r->ticks);
    json_hash(&out, "final_hash", r->final_hash);
    json_text(&out, "record", o->record_path);
    json_number(&out, "wall_s", r->wall_s, 6);
    return json_end(&out);
}

static void print_word(const char *word)
{
    char quoted[8192];
    const size_t count = shell_word_quote(word, quoted, sizeof(quoted));
    printf(" %.*s", (int)count, quoted);
}

// Print a command that checks the game with the inputs of the recording and the same seed.
static void print_check(const monkey_run *r)
{
    const monkey_options *o = r->options;
    char input[4096];
    (void)snprintf(input, sizeof(input), "replay:%s", o->record_path);
    printf("bks check");
    print_word(o->positionals.items[0]);
    printf(" --input");
    print_word(input);
    printf(" --ticks %" PRId32 " --seed %" PRId64 " --players %" PRId64, r->ticks, o->seed,
           o->players);
    for (uint32_t i = 0; i < o->given_options.count; i++) {
        printf(" --option");
        print_word(o->given_options.items[i]);
    }
    printf("\n");
}

static void print_text(const monkey_run *r)
{
    const monkey_options *o = r->options;
    printf("%s: %" PRId64 " monkey%s, seed %" PRId64 ", at tick %" PRId32 ", hash %016" PRIx64 "\n",
           r->game.game->name, o->players, TOOL_PLURAL(o->players), o->seed, r->ticks,
           r->final_hash);
    printf("  %.3f s, %.0f ticks a second\n", r->wall_s,
           r->wall_s > 0 ? (double)r->ticks / r->wall_s : 0);
    if (o->record_path != NULL && !r->file.is_failed) {
        printf("  recorded to %s; is it deterministic? ", plain_name(o->record_path));
        print_check(r);
    }
}

int cmd_monkey(int argc, char **argv)
{
    static monkey_options options;
    options = (monkey_options){.ticks = 3600,
                               .seed = 1,
                               .hold_min = SOURCE_MONKEY_HOLD_MIN,
                               .hold_max = SOURCE_MONKEY_HOLD_MAX};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    static monkey_run r;
    r = (monkey_run){.options = &options, .file = {.descriptor = -1}};
    status = loader_open(options.positionals.items[0], &r.game);
    if (status == TOOL_OK) {
        uint32_t players = 0;
        status = loader_players(r.game.game, options.players, r.game.game->players_max, &players);
        options.players = players;
    }
    if (status == TOOL_OK) {
        status = make_monkeys(&r);
    }
    if (status == TOOL_OK) {
        status = open_peer(&r);
    }
    stop_catch();
    if (status == TOOL_OK) {
        status = play(&r);
    }
    bks_peer_destroy(r.peer);
    bks_record_file_close(&r.file);
    if (status == TOOL_OK && !options.is_json) {
        print_text(&r);
    } else if (status == TOOL_OK && !print_json(&r)) {
        status = TOOL_DAMAGED;
    }
    if (r.file.is_failed) {
        status = tool_complain_recording(options.record_path);
    }
    return status;
}
