// SPDX-License-Identifier: MIT

#include "play/cmd_play.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "game/on_desync.h"
#include "game/record_detail.h"
#include "game/silence.h"
#include "play/play.h"
#include "watch/watch_report.h"

// What the command line says.
typedef struct play_options {
    args_list positionals;
    int64_t local;
    const char *host;
    const char *join;
    int64_t players;
    args_list inputs;
    args_list game_options;
    int64_t ticks;
    int64_t seed;
    int64_t delay;
    int64_t window;
    uint32_t save;
    uint32_t on_desync; ///< ON_DESYNC_NOT_GIVEN
    int64_t budget;
    int64_t sync_test;
    const char *link;
    const char *link_out;
    silence_limits silence;
    bool is_headless;
    bool has_overlay;
    int64_t figures_s;
    const char *inspect;
    args_list screenshots;
    int64_t pictures; ///< 0: not given
    const char *wav;
    const char *record;
    bool is_unrecorded;
    int64_t keyframes; ///< as record_detail_keyframes() takes it
    const char *kept;  ///< NULL: nothing besides
    const char *watch;
    int64_t from;
    int64_t playout_ms;
    int64_t take_over;
    bool is_json;
} play_options;

enum { NOT_GIVEN = -1, DELAY_AUTO = -1 };

// What was given. The table below refers to it.
static play_options given = {
    .keyframes = RECORD_KEYFRAMES_AUTO,
    .local = NOT_GIVEN,
    .players = NOT_GIVEN,
    .seed = NOT_GIVEN,
    .delay = DELAY_AUTO,
    .window = 20,
    .save = BKS_SAVE_AUTO,
    .budget = BKS_AUTO,
    .silence = {SILENCE_NOT_GIVEN, SILENCE_NOT_GIVEN},
    .on_desync = ON_DESYNC_NOT_GIVEN,
    .from = NOT_GIVEN,
    .playout_ms = NOT_GIVEN,
    .take_over = NOT_GIVEN,
};

static const args_option options[] = {
    ARGS_HEADING("the players"),
    ARGS_INT("--local", "N", &given.local, 1, BKS_PLAYERS_MAX,
             "seats on this machine; without --host or --join, of the whole match (default: the "
             "fewest the game takes, online 1)"),
    ARGS_TEXT("--host", "[ADDR:]PORT", &given.host,
              "host at this port, 0 for any; the first line on stdout is the invitation for the "
              "guests"),
    ARGS_INT("--players", "N", &given.players, 1, BKS_PLAYERS_MAX,
             "seats of the match, when hosting (default: the game's most, or 2)"),
    ARGS_TEXT("--join", "INVITATION", &given.join, "join a match: bks://HOST:PORT/#KEY"),
    ARGS_LIST("--input", "P=SOURCE", &given.inputs,
              "where player P's inputs come from, * for all: device, idle,\n"
              "monkey[:SEED], bot, trace:FILE[:PLAYER], replay:FILE.bks[:PLAYER]\n"
              "(default *=device)"),
    ARGS_HEADING("the match"),
    ARGS_LIST("--option", "NAME=VALUE", &given.game_options,
              "set an option of the game, see 'bks games'"),
    ARGS_INT("--ticks", "N", &given.ticks, 1, INT32_MAX,
             "length of the match (default: it has no end)"),
    ARGS_INT("--seed", "N", &given.seed, 0, INT64_MAX,
             "seed of the match, of monkeys and of the simulated link; 0 draws one (default 1; 0 "
             "if a player uses a device)"),
    ARGS_INT_OR("--delay", "auto|N", &given.delay, 0, BKS_DELAY_MAX, "auto", DELAY_AUTO,
                "input delay in ticks (default auto: follows the lag)"),
    ARGS_INT("--window", "N", &given.window, 0, BKS_WINDOW_MAX,
             "ticks the game may run ahead of confirmed inputs; 0 is lockstep (default 20)"),
    ARGS_CHOICE("--save", "every|two|one|auto", &given.save,
                "which ticks get a snapshot (default auto)"),
    ARGS_CHOICE("--on-desync", ON_DESYNC_WORDS, &given.on_desync, ON_DESYNC_HELP),
    ARGS_INT_OR("--budget", "auto|US", &given.budget, 0, 1000000, "auto", BKS_AUTO,
                "microseconds that an update may cost before the input delay rises and ticks "
                "become longer; 0: no budget (default auto: 3/4 of a tick)"),
    ARGS_INT("--sync-test", "N", &given.sync_test, 0, BKS_SYNC_TEST_TICKS_MAX,
             "without --host or --join: go back N ticks after every tick, step them again, and "
             "stop at the field that differs; 0 (default): off"),
    ARGS_HEADING("the network"),
    ARGS_TEXT("--link", "SPEC", &given.link,
              "make the network worse, in both directions: "
              "delay=50ms,jitter=10ms,loss=2%,burst=3,dup=1%,reorder=1%,hold=2s,\n"
              "corrupt=0.1%,rate=256kbit,mtu=600"),
    ARGS_TEXT("--link-out", "SPEC", &given.link_out,
              "the same for sent packets only, so that every peer can use it"),
    SILENCE_OPTIONS(given.silence),
    ARGS_HEADING("watching a recording"),
    ARGS_TEXT("--watch", "FILE-or-URL", &given.watch,
              "play this recording instead, even while it is being written"),
    ARGS_INT("--from", "TICK", &given.from, 0, INT32_MAX,
             "the first tick shown; wait for it if it is not written yet (default 0, or the newest "
             "if the recording is being written)"),
    ARGS_INT("--playout", "MS", &given.playout_ms, 0, 60000,
             "playout delay of a recording that is being written, so that data may arrive late "
             "(default 6000: a recording grows four seconds at a time)"),
    ARGS_INT("--take-over", "TICK", &given.take_over, 0, INT32_MAX,
             "play on from this tick, with --input, into a new recording"),
    ARGS_HEADING("display and recording"),
    ARGS_FLAG("--headless", &given.is_headless,
              "open no window and draw nothing, but keep real time"),
    ARGS_FLAG("--overlay", &given.has_overlay,
              "show statistics over the picture (F1 in the window)"),
    ARGS_INT("--pictures", "N", &given.pictures, 1, 1000,
             "pictures a second in the window, without waiting for the screen (default: as\n"
             "many as the screen shows)"),
    ARGS_INT("--figures", "SECONDS", &given.figures_s, 1, 3600,
             "write a line of figures for the match and for each peer to stderr this often"),
    ARGS_TEXT("--inspect", "[ADDR:]PORT", &given.inspect,
              "let 'bks inspect' look at the match, on this machine alone unless ADDR is given; "
              "stderr says with which token it may change something"),
    ARGS_LIST("--screenshot", "FILE.png@TICK", &given.screenshots,
              "draw the match at a tick into a file, window or not"),
    ARGS_TEXT("--wav", "FILE", &given.wav,
              "write what is heard, sound card or not: 16-bit PCM, stereo, 48 kHz"),
    ARGS_TEXT("--record", "FILE.bks", &given.record,
              "where the recording goes (default: GAME-DATE-TIME-PID.bks here)"),
    ARGS_FLAG("--no-record", &given.is_unrecorded, "record nothing"),
    ARGS_INT_OR("--keyframes", "off|BYTES", &given.keyframes, 1, INT32_MAX, "off",
                RECORD_KEYFRAMES_OFF, RECORD_KEYFRAMES_HELP),
    ARGS_TEXT("--keep", "LIST", &given.kept, RECORD_DETAIL_HELP),
    ARGS_FLAG("--json", &given.is_json, "print the result as one JSON object"),
};

static int parse(int argc, char **argv)
{
    const args_spec spec = {
        .command = "play",
        .usage = "GAME [options]",
        .about =
            "Play a game, alone, with others at this machine or over the network: in a window\n"
            "where there is a display, else in the terminal. Every match is recorded.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&given.positionals, 1, 1),
        .more = "keys: see the game's in 'bks games'; F1 statistics and tuning, Escape or q ends\n"
                "sound in the window: M mutes, + and - change the loudness\n"
                "watching: space pauses, . and , one tick, arrows left and right 5 s, home, end,\n"
                "[ and ] speed, t takes over; the mouse moves the scrubber\n"
                "\n"
                "examples:\n"
                "  bks play duel --local 2                       two at one keyboard\n"
                "  bks play duel --input '1=bot' --local 2       against a bot\n"
                "  bks play duel --host 7777 --players 2         wait for a friend\n"
                "  bks play duel --join bks://192.0.2.7:7777/#…  be the friend\n"
                "  bks play duel --watch match.bks               watch a recording",
    };
    return args_parse(&spec, argc, argv);
}

// A recording says by itself who plays what.
static int check_watching(const play_options *o)
{
    const struct {
        const char *name;
        bool is_given;
    } others[] = {
        {"--host", o->host != NULL},
        {"--join", o->join != NULL},
        {"--local", o->local != NOT_GIVEN},
        {"--players", o->players != NOT_GIVEN},
        {"--link", o->link != NULL},
        {"--link-out", o->link_out != NULL},
        {"--notify-after", o->silence.notify_ms != SILENCE_NOT_GIVEN},
        {"--drop-after", o->silence.drop_ms != SILENCE_NOT_GIVEN},
        {"--option", o->game_options.count > 0},
        {"--on-desync", o->on_desync != ON_DESYNC_NOT_GIVEN},
        {"--sync-test", o->sync_test > 0},
        {"--figures", o->figures_s > 0},
        {"--inspect", o->inspect != NULL},
    };
    const struct {
        const char *name;
        bool is_given;
    } own[] = {
        {"--from", o->from != NOT_GIVEN},
        {"--playout", o->playout_ms != NOT_GIVEN},
        {"--take-over", o->take_over != NOT_GIVEN},
    };
    for (uint32_t i = 0; o->watch != NULL && i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i].is_given) {
            tool_complain(others[i].name, "given with --watch, expected one of them");
            return TOOL_MISUSE;
        }
    }
    for (uint32_t i = 0; o->watch == NULL && i < sizeof(own) / sizeof(own[0]); i++) {
        if (own[i].is_given) {
            tool_complain(own[i].name, "given without --watch, expected a recording to watch");
            return TOOL_MISUSE;
        }
    }
    return TOOL_OK;
}

// What is about a network needs one.
static int check_network(const play_options *o)
{
    const char *given_alone = o->link != NULL || o->link_out != NULL      ? "--link"
                              : o->silence.notify_ms != SILENCE_NOT_GIVEN ? "--notify-after"
                              : o->silence.drop_ms != SILENCE_NOT_GIVEN   ? "--drop-after"
                              : o->on_desync != ON_DESYNC_NOT_GIVEN       ? "--on-desync"
                                                                          : NULL;
    if (given_alone != NULL && o->host == NULL && o->join == NULL) {
        tool_complain(given_alone, "given for a match without network, expected --host or --join");
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

static int check_combination(const play_options *o)
{
    if (check_watching(o) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    if (o->host != NULL && o->join != NULL) {
        tool_complain("--host and --join", "given together, expected one of them");
        return TOOL_MISUSE;
    }
    if (o->players != NOT_GIVEN && o->host == NULL) {
        tool_complain("--players", "given without --host, expected --local for a match without "
                                   "network; a guest gets it from the host");
        return TOOL_MISUSE;
    }
    if (o->game_options.count > 0 && o->join != NULL) {
        tool_complain("--option", "given with --join, expected none: the host's count for all");
        return TOOL_MISUSE;
    }
    if (o->on_desync != ON_DESYNC_NOT_GIVEN && o->join != NULL) {
        tool_complain("--on-desync", "given with --join, expected none: the host decides for all");
        return TOOL_MISUSE;
    }
    if (o->sync_test > 0 && (o->host != NULL || o->join != NULL)) {
        tool_complain("--sync-test", "given with %s, expected a match without network",
                      o->host != NULL ? "--host" : "--join");
        return TOOL_MISUSE;
    }
    if (o->wav != NULL && o->record != NULL && strcmp(o->wav, o->record) == 0) {
        tool_complain("--wav and --record", "given with the same path, expected two");
        return TOOL_MISUSE;
    }
    if (o->record != NULL && o->is_unrecorded) {
        tool_complain("--record and --no-record", "given together, expected one of them");
        return TOOL_MISUSE;
    }
    return check_network(o);
}

static int parse_shots(const play_options *o, play_view_shot *shots)
{
    if (o->screenshots.count > PLAY_VIEW_SHOTS_MAX) {
        tool_complain("--screenshot", "given more than %d times", PLAY_VIEW_SHOTS_MAX);
        return TOOL_MISUSE;
    }
    for (uint32_t i = 0; i < o->screenshots.count; i++) {
        const char *text = o->screenshots.items[i];
        const char *at = strrchr(text, '@');
        int64_t tick = 0;
        if (at == NULL || at == text || (size_t)(at - text) >= sizeof(shots[i].path) ||
            !args_number(at + 1, &tick) || tick < 0 || tick > INT32_MAX) {
            char what[256];
            snprintf(what, sizeof(what), "--screenshot '%s'", text);
            tool_complain(what, "names no tick, expected FILE.png@TICK");
            return TOOL_MISUSE;
        }
        snprintf(shots[i].path, sizeof(shots[i].path), "%.*s", (int)(at - text), text);
        shots[i].tick = (bks_tick)tick;
    }
    return TOOL_OK;
}

static uint32_t count_seats(const play_options *o, const bks_game *game)
{
    if (o->host == NULL) {
        const uint32_t fewest = game->players_min > 0 ? game->players_min : 1;
        return o->local != NOT_GIVEN ? (uint32_t)o->local : fewest;
    }
    if (o->players != NOT_GIVEN) {
        return (uint32_t)o->players;
    }
    return game->players_max < 2 ? game->players_max : 2;
}

static uint32_t count_local(const play_options *o, bool is_alone, uint32_t seats)
{
    return is_alone ? seats : o->local != NOT_GIVEN ? (uint32_t)o->local : 1;
}

// Whether somebody could press a key: then every match shall be another.
static bool may_play_by_hand(const play_options *o)
{
    bool has_all = false;
    for (uint32_t i = 0; i < o->inputs.count; i++) {
        const char *equals = strchr(o->inputs.items[i], '=');
        if (equals != NULL && strcmp(equals + 1, "device") == 0) {
            return true;
        }
        has_all |= strncmp(o->inputs.items[i], "*=", 2) == 0;
    }
    return !has_all && !o->is_headless;
}

static play_view_kind choose_view(const play_options *o)
{
    if (o->is_headless) {
        return PLAY_VIEW_NONE;
    }
    const play_view_kind best = play_view_best();
    // The terminal's picture and one JSON object cannot share stdout.
    return best == PLAY_VIEW_TERM && o->is_json ? PLAY_VIEW_LINES : best;
}

static play_view_config view_of(const play_options *o)
{
    const play_view_kind kind = choose_view(o);
    const bool is_watched = kind == PLAY_VIEW_TERM && may_play_by_hand(o);
    return (play_view_config){
        .kind = kind,
        .has_overlay = o->has_overlay,
        .remark = is_watched ? "no display: players with a device stay idle" : NULL,
        .lines_to_stderr = o->is_json,
        .pictures_hz = (uint32_t)o->pictures,
    };
}

static int print_invitation(void *context, const char *invitation)
{
    const play_options *o = context;
    if (o->host != NULL) {
        printf("%s\n", invitation);
        fflush(stdout);
    }
    return TOOL_OK;
}

static void print_result(const play_options *o, const play_result *result)
{
    if (o->is_json) {
        (void)report_print_json(&result->report, stdout);
    } else {
        report_print_text(&result->report, stdout, tool_has_colour(1));
        for (uint32_t i = 0; i < result->roster.players; i++) {
            if (result->scores[i][0] != '\0') {
                printf("player %" PRIu32 ": %s\n", i, result->scores[i]);
            }
        }
    }
    if (result->has_started && result->record_path[0] != '\0') {
        fprintf(o->is_json ? stderr : stdout, "recorded %s\n", result->record_path);
    }
}

static int play(play_options *o, const loaded_game *game)
{
    bks_option_values values;
    play_view_shot shots[PLAY_VIEW_SHOTS_MAX];
    int status = loader_options(game->game, o->game_options.items, o->game_options.count, &values);
    bks_replay_detail detail = {0};
    record_detail_keyframes(o->keyframes, &detail);
    if (status == TOOL_OK) {
        status = parse_shots(o, shots);
    }
    if (status == TOOL_OK) {
        status = record_detail_read(o->kept, &detail);
    }
    bks_match_config usual = bks_match_config_default();
    if (status == TOOL_OK) {
        status =
            silence_read(&o->silence, &usual.tuning.notify_after_ms, &usual.tuning.drop_after_ms);
    }
    if (status != TOOL_OK) {
        return status;
    }
    const bool is_alone = o->host == NULL && o->join == NULL;
    const uint32_t seats = count_seats(o, game->game);
    const int64_t seed = o->seed != NOT_GIVEN ? o->seed : may_play_by_hand(o) ? 0 : 1;
    const play_config config = {
        .game = *game,
        .net = {.is_alone = is_alone,
                .bind = o->host,
                .invitation = o->join,
                .link = o->link,
                .link_out = o->link_out,
                .may_change = o->inspect != NULL,
                .seed = (uint64_t)seed},
        .options = &values,
        .players = seats,
        .local_players = count_local(o, is_alone, seats),
        .inputs = &o->inputs,
        .input_fallback = "device",
        .seed = (uint64_t)seed,
        .ticks = (bks_tick)o->ticks,
        .delay_ticks = o->delay == DELAY_AUTO ? BKS_AUTO : (uint32_t)o->delay,
        .window_ticks = (uint32_t)o->window,
        .save = (bks_save_policy)o->save,
        .on_desync = o->on_desync != ON_DESYNC_NOT_GIVEN ? (bks_on_desync)o->on_desync
                                                         : BKS_ON_DESYNC_REPORT,
        .budget_us = (uint32_t)o->budget,
        .sync_test_ticks = (uint32_t)o->sync_test,
        .inspect = o->inspect,
        .figures_log_ms = (uint32_t)o->figures_s * 1000,
        .notify_after_ms = usual.tuning.notify_after_ms,
        .drop_after_ms = usual.tuning.drop_after_ms,
        .is_recorded = !o->is_unrecorded,
        .record_detail = detail,
        .record_path = o->record,
        .view = view_of(o),
        .wav_path = o->wav,
        .shots = shots,
        .shot_count = o->screenshots.count,
        .opened = print_invitation,
        .context = o,
    };
    play_result result;
    status = play_run(&config, &result);
    const bool is_filled = result.report.game != NULL; // the match was opened
    if (result.has_started || (o->is_json && is_filled)) {
        print_result(o, &result);
    }
    return status;
}

static int watch(const play_options *o, const loaded_game *game)
{
    enum { PLAYOUT_MS = 6000 };
    play_view_shot shots[PLAY_VIEW_SHOTS_MAX];
    int status = parse_shots(o, shots);
    bks_replay_detail detail = {0};
    record_detail_keyframes(o->keyframes, &detail);
    if (status == TOOL_OK) {
        status = record_detail_read(o->kept, &detail);
    }
    if (status != TOOL_OK) {
        return status;
    }
    const int64_t playout_ms = o->playout_ms != NOT_GIVEN ? o->playout_ms : PLAYOUT_MS;
    const watch_config config = {
        .game = *game,
        .game_name = o->positionals.items[0],
        .where = o->watch,
        .from = (bks_tick)o->from,
        .until = (bks_tick)o->ticks,
        .playout_ns = (uint64_t)playout_ms * UINT64_C(1000000),
        .view = choose_view(o),
        .pictures_hz = (uint32_t)o->pictures,
        .has_overlay = o->has_overlay,
        .lines_to_stderr = o->is_json,
        .wav_path = o->wav,
        .shots = shots,
        .shot_count = o->screenshots.count,
        .take_over = (bks_tick)o->take_over,
        .take = {.inputs = &o->inputs,
                 .seed = (uint64_t)(o->seed != NOT_GIVEN ? o->seed : 1),
                 .is_recorded = !o->is_unrecorded,
                 .record_path = o->record,
                 .record_detail = detail},
    };
    watch_result result;
    status = watch_run(&config, &result);
    if (result.is_shown && !o->is_json) {
        watch_report_text(&config, &result, stdout);
    } else if (result.is_shown && !watch_report_json(&config, &result, stdout)) {
        status = TOOL_DAMAGED;
    }
    return status;
}

int cmd_play(int argc, char **argv)
{
    int status = parse(argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    status = check_combination(&given);
    loaded_game game;
    if (status == TOOL_OK) {
        status = loader_open(given.positionals.items[0], &game);
    }
    if (status != TOOL_OK) {
        return status;
    }
    return given.watch != NULL ? watch(&given, &game) : play(&given, &game);
}
