// SPDX-License-Identifier: MIT

#include "play/play_options.h"

#include <inttypes.h>
#include <string.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"
#include "base/tool.h"
#include "game/match_options.h"
#include "watch/watch_source.h"

// Values of the command line; the table of options points to them.
static play_options given = {
    .keyframes = RECORD_KEYFRAMES_AUTO,
    .local = PLAY_NOT_GIVEN,
    .players = PLAY_NOT_GIVEN,
    .seed = PLAY_NOT_GIVEN,
    .delay = PLAY_DELAY_AUTO,
    .window = 20,
    .save = BKS_SAVE_AUTO,
    .budget = BKS_AUTO,
    .silence = {SILENCE_NOT_GIVEN, SILENCE_NOT_GIVEN},
    .on_desync = ON_DESYNC_NOT_GIVEN,
    .from = PLAY_NOT_GIVEN,
    .watchers = PLAY_NOT_GIVEN,
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
    ARGS_INT_OR("--delay", "auto|N", &given.delay, 0, BKS_DELAY_MAX, "auto", PLAY_DELAY_AUTO,
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
    ARGS_INT("--watchers", "N", &given.watchers, 0, BKS_WATCHERS_MAX,
             "with --host or --join: most watchers at a time, 0 lets nobody watch (default 8); "
             "stderr says an invitation that opens no seat"),
    ARGS_INT("--watch-delay", "MS", &given.watch_delay, 0, 600000,
             "with --host or --join: let watchers see the match this much later (default 0)"),
    ARGS_HEADING("recordings"),
    ARGS_TEXT("--watch", "FILE-or-URL", &given.watch,
              "play this recording instead, even while it is being written; bks://… watches the "
              "match of an invitation, with --record FILE into a file, too, and with --host for "
              "others, who watch here by the invitation on stdout"),
    ARGS_INT("--from", "TICK", &given.from, 0, INT32_MAX,
             "with --watch: the first tick shown; wait for it if it is not written yet (default 0, "
             "or the newest if the recording is being written); with --take-over: the first tick "
             "played"),
    ARGS_TEXT(
        "--take-over", "FILE", &given.take_over,
        "play this recording on, from the tick of --from, with --input, into a new recording; "
        "with --host guests get the state by the network, and join as usual"),
    ARGS_HEADING("display and recording"),
    ARGS_FLAG("--headless", &given.is_headless,
              "open no window and draw nothing, but keep real time"),
    ARGS_FLAG("--overlay", &given.has_overlay,
              "show statistics over the picture: in the window a few lines, with F1 all, then\n"
              "none; in screenshots all"),
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
            "where there is a display, else in the terminal. Every match is recorded. The window\n"
            "begins with a menu where no option says what to play.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&given.positionals, 1, 1),
        .more = "keys: see the game's in 'bks games'; F1 statistics, F1 again all and tuning;\n"
                "F5 pauses, in the terminal p; Escape ends, in the terminal q, too\n"
                "sound in the window: M mutes, + and - change the loudness\n"
                "watching: space pauses, . and , one tick, arrows left and right 5 s, home, end,\n"
                "[ and ] speed, t takes over; the mouse moves the scrubber\n"
                "\n"
                "examples:\n"
                "  bks play duel --local 2                       two at one keyboard\n"
                "  bks play duel --input '1=bot' --local 2       against a bot\n"
                "  bks play duel --host 7777 --players 2         wait for a friend\n"
                "  bks play duel --join bks://192.0.2.7:7777/#…  be the friend\n"
                "  bks play duel --watch bks://192.0.2.7:7777/#… watch their match\n"
                "  bks play duel --watch match.bks               watch a recording\n"
                "  bks play duel --take-over match.bks --from 900  play it on from tick 900",
    };
    return args_parse(&spec, argc, argv);
}

typedef struct named_option {
    const char *name;
    bool is_given;
} named_option;

// Return the first option that is given, NULL: none is.
static const char *first_given(const named_option *some, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (some[i].is_given) {
            return some[i].name;
        }
    }
    return NULL;
}

// Reject options about a network and what belongs to it, where a recording is played here alone.
static int check_alone(const play_options *o)
{
    const named_option others[] = {
        {"--host", o->host != NULL && !(o->watch != NULL && watch_bks_is_invitation(o->watch))},
        {"--local", o->local != PLAY_NOT_GIVEN},
        {"--link", o->link != NULL},
        {"--link-out", o->link_out != NULL},
        {"--notify-after", o->silence.notify_ms != SILENCE_NOT_GIVEN},
        {"--drop-after", o->silence.drop_ms != SILENCE_NOT_GIVEN},
        {"--on-desync", o->on_desync != ON_DESYNC_NOT_GIVEN},
        {"--sync-test", o->sync_test > 0},
        {"--figures", o->figures_s > 0},
        {"--inspect", o->inspect != NULL},
        {"--watchers", o->watchers != PLAY_NOT_GIVEN},
        {"--watch-delay", o->watch_delay != 0},
    };
    const char *other = first_given(others, sizeof(others) / sizeof(others[0]));
    if (other != NULL) {
        tool_complain(other, o->watch != NULL ? "given with --watch, expected one of them"
                                              : "given with --take-over, expected --host, too");
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

static int check_take_over(const play_options *o)
{
    if (o->from == PLAY_NOT_GIVEN) {
        tool_complain("--take-over", "given without --from, expected the tick to play from");
        return TOOL_MISUSE;
    }
    if (o->host != NULL &&
        (watch_bks_is_invitation(o->take_over) || watch_http_is_url(o->take_over))) {
        tool_complain("--take-over", "names no file, expected one with --host: record a match with "
                                     "--watch INVITATION --record FILE, or download a recording");
        return TOOL_MISUSE;
    }
    if (o->ticks > 0 && o->ticks <= o->from) {
        tool_complain("--ticks", "is %" PRId64 ", expected more than --from %" PRId64, o->ticks,
                      o->from);
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

// Reject what a recording decides, players and their number, the game's options, and what would
// lose it.
static int check_recording(const play_options *o)
{
    const named_option others[] = {
        {"--watch", o->watch != NULL && o->take_over != NULL},
        {"--join", o->join != NULL},
    };
    const named_option decided[] = {
        {"--players", o->players != PLAY_NOT_GIVEN},
        {"--option", o->game_options.count > 0},
    };
    const char *path = o->take_over != NULL ? o->take_over : o->watch;
    const char *name = o->take_over != NULL ? "--take-over" : "--watch";
    const char *other = first_given(others, sizeof(others) / sizeof(others[0]));
    if (path != NULL && other != NULL) {
        tool_complain(other, "given with %s, expected one of them", name);
        return TOOL_MISUSE;
    }
    other = first_given(decided, sizeof(decided) / sizeof(decided[0]));
    if (path != NULL && other != NULL) {
        tool_complain(other, "given with %s, expected none: the recording decides", name);
        return TOOL_MISUSE;
    }
    if (path != NULL && o->record != NULL && strcmp(path, o->record) == 0) {
        tool_complain("--record", "names the file of %s, expected another one", name);
        return TOOL_MISUSE;
    }
    if (o->from != PLAY_NOT_GIVEN && path == NULL) {
        tool_complain("--from", "given without a recording, expected --watch or --take-over");
        return TOOL_MISUSE;
    }
    if (o->take_over != NULL && check_take_over(o) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    const bool is_alone = o->watch != NULL || (o->take_over != NULL && o->host == NULL);
    return is_alone ? check_alone(o) : TOOL_OK;
}

static int check_combination(const play_options *o)
{
    if (check_recording(o) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    if (o->host != NULL && o->join != NULL) {
        tool_complain("--host and --join", "given together, expected one of them");
        return TOOL_MISUSE;
    }
    if (o->players != PLAY_NOT_GIVEN && o->host == NULL) {
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
    return TOOL_OK;
}

bool play_options_name_no_match(const play_options *o)
{
    return o->local == PLAY_NOT_GIVEN && o->host == NULL && o->join == NULL && o->watch == NULL &&
           o->take_over == NULL && o->inputs.count == 0 && o->ticks == 0 &&
           o->seed == PLAY_NOT_GIVEN && o->sync_test == 0 && o->screenshots.count == 0 &&
           o->wav == NULL && o->record == NULL && !o->is_json;
}

int play_options_check_network(const play_options *o)
{
    const char *given_alone = o->link != NULL                             ? "--link"
                              : o->link_out != NULL                       ? "--link-out"
                              : o->silence.notify_ms != SILENCE_NOT_GIVEN ? "--notify-after"
                              : o->silence.drop_ms != SILENCE_NOT_GIVEN   ? "--drop-after"
                              : o->on_desync != ON_DESYNC_NOT_GIVEN       ? "--on-desync"
                              : o->watchers != PLAY_NOT_GIVEN             ? "--watchers"
                              : o->watch_delay != 0                       ? "--watch-delay"
                                                                          : NULL;
    if (given_alone != NULL && o->host == NULL && o->join == NULL) {
        tool_complain(given_alone, "given for a match without network, expected --host or --join");
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

int play_options_read(int argc, char **argv, const play_options **out)
{
    *out = &given;
    const int status = parse(argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    return check_combination(&given) == TOOL_OK ? ARGS_GO : TOOL_MISUSE;
}
