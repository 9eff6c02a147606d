// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"
#include "backstitch/toolkit/writer.h"
#include "base/args.h"
#include "base/file.h"
#include "base/heap.h"
#include "base/system.h"
#include "base/tool.h"
#include "game/game_variant.h"
#include "game/match_options.h"
#include "map/game_map.h"
#include "workshop/lab/lab_parts.h"
#include "workshop/lab/lab_plant.h"

/// Option that takes one number for all peers, or one number for each: "3" or "3,5,4".
typedef struct lab_number_kind {
    const char *option; ///< name of the option, for errors
    int64_t least;
    int64_t greatest;
    const char *word;    ///< word that a user may type instead of a number; NULL: none
    uint32_t word_value; ///< number that `word` stands for
} lab_number_kind;

/// Numbers that the user gave for an option: one number for all peers, or one for each.
typedef struct lab_numbers {
    uint32_t count; ///< number of values typed; 1: one value for all peers
    uint32_t values[BKS_PEERS_MAX];
} lab_numbers;

static bool read_one(const lab_number_kind *kind, const char *text, size_t length, uint32_t *out)
{
    char number[16] = "";
    int64_t value = 0;
    if (length >= sizeof(number)) {
        return false;
    }
    memcpy(number, text, length);
    if (kind->word != NULL && strcmp(number, kind->word) == 0) {
        *out = kind->word_value;
        return true;
    }
    const bool is_right =
        args_number(number, &value) && value >= kind->least && value <= kind->greatest;
    *out = is_right ? (uint32_t)value : 0;
    return is_right;
}

/// Read the numbers of an option; errors go to stderr.
/// @return ARGS_GO or TOOL_MISUSE
static int lab_numbers_read(const lab_number_kind *kind, const char *text, lab_numbers *out)
{
    *out = (lab_numbers){0};
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (out->count == BKS_PEERS_MAX || !read_one(kind, at, length, &out->values[out->count])) {
            tool_complain(kind->option,
                          "is '%s', expected one number from %" PRId64 " to %" PRId64
                          "%s%s, or one for each peer with commas between",
                          text, kind->least, kind->greatest, kind->word != NULL ? " or " : "",
                          kind->word != NULL ? kind->word : "");
            return TOOL_MISUSE;
        }
        out->count++;
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    for (uint32_t i = 1; out->count == 1 && i < BKS_PEERS_MAX; i++) {
        out->values[i] = out->values[0];
    }
    return ARGS_GO;
}

/// Check that there is one number for each peer, or one for all; errors go to stderr.
/// @return ARGS_GO or TOOL_MISUSE
static int lab_numbers_fit(const lab_number_kind *kind, const lab_numbers *numbers, uint32_t peers)
{
    if (numbers->count > 1 && numbers->count != peers) {
        tool_complain(kind->option,
                      "has %" PRIu32 " numbers, expected one for each of %" PRIu32 " peers",
                      numbers->count, peers);
        return TOOL_MISUSE;
    }
    return ARGS_GO;
}

/// Command line as typed, before it is interpreted.
typedef struct command_line {
    args_list positionals;
    int64_t peers;
    int64_t ticks;
    int64_t first_tick;
    int64_t rate_hz; ///< tick rate of --hz; 0: that of the game
    const char *window;
    const char *delay;
    const char *frames; ///< frame rates of the peers' loops, as typed; NULL: no frames
    const char *with;   ///< variant of the game; NULL: none
    int64_t seed;
    int64_t keyframes;   ///< spacing of keyframes, as record_detail_keyframes() takes it
    const char *details; ///< further details to record; NULL: none
    uint32_t mode;
    const char *players;
    const char *links_path;
    uint32_t save;
    uint32_t pace;
    uint32_t on_desync;
    int64_t budget;
    int64_t step_us;
    silence_limits silence;
    int64_t watchers;
    const char *plant;
    args_list inputs;
    args_list options;
} command_line;

enum { MODE_ROLLBACK, MODE_LOCKSTEP };

/// Paces in the order of the words of --pace.
static const bks_pace paces[] = {BKS_PACE_SLEW, BKS_PACE_STALL, BKS_PACE_NONE};

/// Help texts of the options that have long ones.
#define LINK_HELP                                                                              \
    "delay=50ms,jitter=10ms,loss=2%,burst=3,dup=1%,reorder=1%,hold=2s,\n"                      \
    "corrupt=0.1%,rate=256kbit,mtu=600: any of them, one-way figures, for both directions of " \
    "every pair; A>B:SPEC for one direction of one pair; may be repeated"
#define BULK_HELP                                                                           \
    "a stream of bytes beside the match, such as 0>1:16MiB@5s: from peer 0 to peer 1, 5 s " \
    "after the first tick; may be repeated"
#define WATCH_HELP                                                                        \
    "a watcher, such as 1@3s+10s:delay=40ms,loss=5%: it comes to peer 1, 3 s after the\n" \
    "first tick, over lines of its own, and leaves 10 s later (it stays without +10s);\n" \
    "lobby:1@50ms: after the beginning; at most 16 times"
#define WINDOW_HELP                                                                 \
    "ticks the game may run ahead of confirmed inputs, 0..64, one number for all\n" \
    "peers or one each (default 20)"
#define DELAY_HELP                                                                         \
    "input delay in ticks, 0..255 or auto, for all peers or each (default auto: follows\n" \
    "the lag)"
#define WITH_HELP                                                                           \
    "let the game also guess inputs itself, most of them wrong (predict), keep its state\n" \
    "outside the library and save and load it (create), or have commands (commands)"
#define FRAMES_HELP                                                                        \
    "a peer's loop runs N times a second, and takes packets and steps ticks then alone,\n" \
    "for all peers or each (default: as soon as there is something to do)"

#define PACE_HELP                                                                              \
    "how a peer that runs ahead slows down: longer ticks, skipped ticks, not at all (default " \
    "slew)"

#define STRICT_HELP                                                                                \
    "also demand what bks sweep does: the hashes of the reference (the inputs stepped straight), " \
    "true recordings, no false alarm, full rate 2 s after heal@, the same match from the same "    \
    "seed and without watchers"

#define WAV_HELP "write what the first peer hears: 16-bit PCM, stereo, 48 kHz"

#define FAULT_HELP                                                                     \
    "cause faults, with commas between them; times are after the first tick:\n"        \
    "pause=1@5s+800ms, crash=2@10s, leave=1@5s, cut=0-1@3s+2s (0>1: one direction),\n" \
    "split=0.1/2.3@5s+1s, rate=0-1@40s:24kbit (what a link carries from then on),\n"   \
    "fill=0-1@5s:500ms (others fill the queue of a link that has a rate),\n"           \
    "drift=1:+200ppm, clock=1@4s-3s, slow=2@6s+2s:3x, rebind=1@7s,\n"                  \
    "full=1@9s+1s (sends fail), lie=1@8s (sends different inputs for one tick),\n"     \
    "forge=1@5s+2s (sends messages with anything in them, then crashes),\n"            \
    "load=1:6s (making the state of the first tick takes that long),\n"                \
    "pause-game=1@5s+2s (pauses the match for all, and ends the pause 2 s later),\n"   \
    "speed=0@5s:200% (changes the speed of the match for all),\n"                      \
    "heal@12s (perfect links from then on), and\n"                                     \
    "flip=PEER@TICK:byte[:OFFSET[:BIT]], one bit of that peer's state each time it\n"  \
    "comes to the tick (the seed chooses what is left out), or with once for byte\n"   \
    "in the first state that is made when the tick is final, and never again;\n"       \
    "lobby:pause=1@50ms+300ms and others so: times are after the beginning"

static int read_arguments(int argc, char **argv, lab_setup *setup, command_line *given)
{
    const args_option options[] = {
        ARGS_HEADING("the match"),
        ARGS_INT("--peers", "N", &given->peers, 1, BKS_PEERS_MAX, "machines (default 2)"),
        ARGS_TEXT("--players-per-peer", "N|A,B,…", &given->players,
                  "players on each machine, one number for all or one each (default 1)"),
        ARGS_INT("--ticks", "N", &given->ticks, 1, 10000000,
                 "the match ends before this tick (default 3600)"),
        ARGS_INT("--first-tick", "N", &given->first_tick, 0, 9999999,
                 "it begins with this one (default 0)"),
        ARGS_INT("--hz", "N", &given->rate_hz, 1, 1000,
                 "ticks a second, 1..1000 (default: the game's)"),
        ARGS_LIST("--input", "P=SOURCE", &given->inputs,
                  "where player P's inputs come from, * for all: idle, monkey[:SEED], bot,\n"
                  "trace:FILE[:PLAYER], replay:FILE.bks[:PLAYER] (default *=monkey)"),
        ARGS_LIST("--option", "NAME=VALUE", &given->options, "set an option of the game"),
        ARGS_TEXT("--with", "predict,create,commands", &given->with, WITH_HELP),
        ARGS_INT("--seed", "N", &given->seed, 0, INT64_MAX,
                 "seed of the game, the monkeys and the network (default 1)"),
        ARGS_HEADING("the session"),
        ARGS_CHOICE("--mode", "rollback|lockstep", &given->mode,
                    "lockstep never predicts: a window of 0 (default rollback)"),
        ARGS_TEXT("--window", "N|A,B,…", &given->window, WINDOW_HELP),
        ARGS_TEXT("--delay", "auto|N|A,B,…", &given->delay, DELAY_HELP),
        ARGS_TEXT("--frames", "N|A,B,…", &given->frames, FRAMES_HELP),
        ARGS_CHOICE("--save", "every|two|one|auto", &given->save,
                    "which ticks get a snapshot (default auto)"),
        ARGS_CHOICE("--pace", "slew|stall|none", &given->pace, PACE_HELP),
        ARGS_CHOICE("--on-desync", ON_DESYNC_WORDS, &given->on_desync, ON_DESYNC_HELP),
        ARGS_INT_OR("--budget", "auto|US", &given->budget, 0, 1000000, "auto", BKS_AUTO,
                    "microseconds that an update may cost, 0: no budget (default auto: 3/4 of a "
                    "tick)"),
        ARGS_INT("--step-us", "N", &given->step_us, 0, 1000000,
                 "model of costs: a step takes N microseconds, copying or hashing the state 1 ns "
                 "for 20 bytes (default: nothing takes virtual time)"),
        SILENCE_OPTIONS(given->silence),
        ARGS_HEADING("the network"),
        ARGS_LIST("--link", "SPEC", &setup->links, LINK_HELP),
        ARGS_TEXT("--links", "FILE", &given->links_path, "read links from a file, A>B:SPEC a line"),
        ARGS_LIST("--fault", "SPEC", &setup->faults, FAULT_HELP),
        ARGS_LIST("--bulk", "A>B:BYTES@TIME", &setup->bulk, BULK_HELP),
        ARGS_LIST("--watch", "PEER@TIME[+TIME][:LINK]", &setup->watchers, WATCH_HELP),
        ARGS_INT("--watchers", "N", &given->watchers, 0, BKS_WATCHERS_MAX,
                 "most watchers at a time at each peer, 0..64 (default 8)"),
        ARGS_TEXT("--plant", "NAME", &given->plant,
                  "in builds with tests: switch on a mutant of the session, as bks sweep does"),
        ARGS_FLAG("--strict", &setup->is_strict, STRICT_HELP),
        ARGS_FLAG("--udp", &setup->is_udp,
                  "run each peer in its own process, over UDP, in real time"),
        ARGS_HEADING("output"),
        ARGS_TEXT("--record", "DIR", &setup->record_dir,
                  "record each peer to DIR/peer-N.bks; DIR is made if missing"),
        ARGS_INT_OR("--keyframes", "off|BYTES", &given->keyframes, 1, INT32_MAX, "off",
                    RECORD_KEYFRAMES_OFF, RECORD_KEYFRAMES_HELP),
        ARGS_TEXT("--keep", "LIST", &given->details, RECORD_DETAIL_HELP),
        ARGS_TEXT("--report", "FILE.html", &setup->report_path, "write a page with graphs"),
        ARGS_TEXT("--wav", "FILE", &setup->wav_path, WAV_HELP),
        ARGS_JSON(&setup->is_json),
    };
    const args_spec spec = {
        .command = "lab",
        .usage = "GAME [options]",
        .about = "Run a whole match in one process on a simulated network and virtual time, and\n"
                 "compare every hash of every peer. The same seed gives the same match.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&given->positionals, 1, 1),
        .more = "examples:\n"
                "  bks lab duel --peers 4 --link delay=100ms,jitter=20ms,loss=5%\n"
                "  bks lab pad --fault flip=1@600:byte --json",
    };
    return args_parse(&spec, argc, argv);
}

/// Read how many players play on each peer.
static int read_players(const char *text, bool has_peers, bks_lab_config *config)
{
    static const lab_number_kind kind = {"--players-per-peer", 1, BKS_PLAYERS_MAX, NULL, 0};
    lab_numbers players;
    if (text == NULL) {
        return ARGS_GO;
    }
    const int status = lab_numbers_read(&kind, text, &players);
    if (status != ARGS_GO) {
        return status;
    }
    memcpy(config->players_on, players.values, sizeof(config->players_on));
    for (uint32_t i = players.count; players.count > 1 && i < BKS_PEERS_MAX; i++) {
        config->players_on[i] = 1;
    }
    if (players.count > 1 && !has_peers) {
        config->peers = players.count;
    }
    return lab_numbers_fit(&kind, &players, config->peers);
}

/// Read the options --window and --delay, each with one number for all peers or one for each.
static int read_tunings(const command_line *given, lab_setup *setup)
{
    bks_lab_config *config = &setup->config;
    static const lab_number_kind window_kind = {"--window", 0, BKS_WINDOW_MAX, NULL, 0};
    static const lab_number_kind delay_kind = {"--delay", 0, BKS_DELAY_MAX, "auto", BKS_AUTO};
    lab_numbers windows;
    lab_numbers delays;
    int status = lab_numbers_read(&window_kind, given->window, &windows);
    status = status == ARGS_GO ? lab_numbers_read(&delay_kind, given->delay, &delays) : status;
    status = status == ARGS_GO ? lab_numbers_fit(&window_kind, &windows, config->peers) : status;
    status = status == ARGS_GO ? lab_numbers_fit(&delay_kind, &delays, config->peers) : status;
    if (status != ARGS_GO) {
        return status;
    }
    const bool is_lockstep = given->mode == MODE_LOCKSTEP;
    setup->window = is_lockstep ? "0" : given->window;
    setup->delay = given->delay;
    for (uint32_t i = BKS_PEERS_MAX; i-- > 0;) {
        config->tuning.window_ticks = is_lockstep ? 0 : windows.values[i];
        config->tuning.delay_ticks = delays.values[i];
        config->tunings[i] = config->tuning;
    }
    config->own_tunings = windows.count > 1 || delays.count > 1 ? (1u << config->peers) - 1 : 0;
    return ARGS_GO;
}

static int read_frames(const char *text, bks_lab_config *config)
{
    static const lab_number_kind kind = {"--frames", 0, 10000, NULL, 0};
    lab_numbers frames;
    if (text == NULL) {
        return ARGS_GO;
    }
    int status = lab_numbers_read(&kind, text, &frames);
    status = status == ARGS_GO ? lab_numbers_fit(&kind, &frames, config->peers) : status;
    memcpy(config->frames_hz, frames.values, sizeof(config->frames_hz));
    return status;
}

/// Read a file of links, and add each line to the list of links.
static int read_links_file(const char *path, lab_setup *setup)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    const int status = file_read(path, &bytes, &count);
    if (status != TOOL_OK) {
        return status;
    }
    setup->links_text = malloc(count + 1);
    if (setup->links_text == NULL) {
        free(bytes);
        tool_complain(path, "no memory for %zu bytes", count);
        return TOOL_DAMAGED;
    }
    memcpy(setup->links_text, bytes, count);
    setup->links_text[count] = '\0';
    free(bytes);
    uint32_t number = 0;
    for (char *line = setup->links_text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        number++;
        line += strspn(line, " \t");
        line[strcspn(line, " \t\r")] = '\0';
        if (line[0] == '\0' || line[0] == '#') {
            continue;
        }
        bks_lab_link_spec spec;
        uint32_t from = 0;
        uint32_t to = 0;
        bks_error error = {0};
        char where[4200];
        snprintf(where, sizeof(where), "%s:%" PRIu32, path, number);
        if (bks_lab_link_route_parse(line, &from, &to, &spec, &error) != BKS_OK) {
            tool_complain_error(where, &error);
            return TOOL_DAMAGED;
        }
        if (setup->links.count == ARGS_LIST_MAX) {
            tool_complain(where, "one link too many, expected at most %d", ARGS_LIST_MAX);
            return TOOL_DAMAGED;
        }
        setup->links.items[setup->links.count++] = line;
    }
    return ARGS_GO;
}

/// Check all specs before the match, so that runs in the lab and over UDP report the same errors.
static int check_specs(const lab_setup *setup)
{
    char what[512];
    bks_error error = {0};
    const uint32_t peers = setup->config.peers;
    for (uint32_t i = 0; i < setup->links.count; i++) {
        bks_lab_link_spec spec;
        uint32_t from = 0;
        uint32_t to = 0;
        snprintf(what, sizeof(what), "--link '%s'", setup->links.items[i]);
        if (bks_lab_link_route_parse(setup->links.items[i], &from, &to, &spec, &error) != BKS_OK) {
            tool_complain_error(what, &error);
            return TOOL_MISUSE;
        }
        if (from != BKS_LAB_LINK_ALL && (from >= peers || to >= peers)) {
            tool_complain(what, "names peer %" PRIu32 ", expected 0..%" PRIu32,
                          from >= peers ? from : to, peers - 1);
            return TOOL_MISUSE;
        }
    }
    bks_lab_faults faults = {0};
    for (uint32_t i = 0; i < setup->faults.count; i++) {
        snprintf(what, sizeof(what), "--fault '%s'", setup->faults.items[i]);
        if (bks_lab_faults_parse(&setup->config, setup->faults.items[i], &faults, &error) !=
            BKS_OK) {
            tool_complain_error(what, &error);
            return TOOL_MISUSE;
        }
    }
    for (uint32_t i = 0; i < setup->bulk.count; i++) {
        bks_lab_bulk_spec spec;
        snprintf(what, sizeof(what), "--bulk '%s'", setup->bulk.items[i]);
        if (bks_lab_bulk_parse(&setup->config, setup->bulk.items[i], &spec, &error) != BKS_OK) {
            tool_complain_error(what, &error);
            return TOOL_MISUSE;
        }
    }
    for (uint32_t i = 0; i < setup->watchers.count; i++) {
        bks_lab_watch_spec spec;
        snprintf(what, sizeof(what), "--watch '%s'", setup->watchers.items[i]);
        if (bks_lab_watch_parse(&setup->config, setup->watchers.items[i], &spec, &error) !=
            BKS_OK) {
            tool_complain_error(what, &error);
            return TOOL_MISUSE;
        }
    }
    const struct {
        const char *option;
        bool is_given;
    } virtual_alone[] = {{"--bulk", setup->bulk.count > 0},
                         {"--watch", setup->watchers.count > 0},
                         {"--frames", setup->config.frames_hz[0] > 0},
                         {"--wav", setup->wav_path != NULL},
                         {"--step-us", setup->config.step_ns > 0},
                         {"--strict", setup->is_strict}};
    for (size_t i = 0; setup->is_udp && i < ARGS_COUNT(virtual_alone); i++) {
        if (virtual_alone[i].is_given) {
            tool_complain(virtual_alone[i].option, "needs virtual time, expected no --udp");
            return TOOL_MISUSE;
        }
    }
    if (setup->is_udp && faults.timed_count > 0) {
        tool_complain("--fault", "%s needs virtual time, expected no --udp or only flip",
                      bks_lab_fault_name(faults.timed[0].kind));
        return TOOL_MISUSE;
    }
    return ARGS_GO;
}

static uint64_t count_allocations(void *context)
{
    (void)context;
    return alloc_count_thread();
}

/// Open the sources of all players.
static int open_sources(lab_setup *setup, const command_line *given)
{
    bks_lab_config *config = &setup->config;
    const bks_game *game = setup->game.game;
    uint32_t players = 0;
    for (uint32_t i = 0; i < config->peers; i++) {
        players += config->players_on[i];
    }
    const uint32_t least = game->players_min > 0 ? game->players_min : 1;
    if (players < least || players > game->players_max) {
        tool_complain("--peers",
                      "%" PRIu32 " players in all, expected %" PRIu32 "..%" PRIu32 " in %s",
                      players, least, game->players_max, game->name);
        return TOOL_MISUSE;
    }
    const source_env env = {.game = game, .players = players, .seed = config->seed};
    int status = source_set_open(&given->inputs, "monkey", &env, &setup->sources);
    if (status == TOOL_OK) {
        status = source_set_check(setup->sources, 0, players, config->ticks);
    }
    if (status != TOOL_OK) {
        return status;
    }
    for (uint32_t i = 0; i < players; i++) {
        if (source_set_kind(setup->sources, i) == SOURCE_DEVICE) {
            tool_complain("--input",
                          "player %" PRIu32 " has a device, expected another source: the lab has "
                          "no devices",
                          i);
            return TOOL_MISUSE;
        }
        config->sources[i] = source_set_source(setup->sources);
    }
    return ARGS_GO;
}

/// Replace the game by a copy with another tick rate. Do nothing if `rate_hz` is 0.
static void set_rate(lab_setup *setup, uint32_t rate_hz)
{
    if (rate_hz != 0) {
        setup->other_rate = *setup->game.game;
        setup->other_rate.tick_rate_hz = rate_hz;
        setup->game.game = &setup->other_rate;
    }
}

/// Replace the game by the variant that the option --with names, if the option is given.
static int set_variant(lab_setup *setup, const char *with)
{
    uint32_t bits = 0;
    int status = game_variant_read("--with", with, &bits);
    if (status != TOOL_OK || bits == 0) {
        return status;
    }
    status = game_variant_make(setup->game.game, &setup->config.options, bits, &setup->variant);
    setup->game.game = &setup->variant;
    setup->config.game = &setup->variant;
    return status;
}

/// Interpret the command line and load the game.
static int interpret(lab_setup *setup, const command_line *given)
{
    bks_lab_config *config = &setup->config;
    *config = bks_lab_config_default();
    config->peers = given->peers > 0 ? (uint32_t)given->peers : 2;
    config->ticks = (bks_tick)given->ticks;
    config->first_tick = (bks_tick)given->first_tick;
    config->seed = (uint64_t)given->seed;
    record_detail_keyframes(given->keyframes, &config->record_detail);
    config->tuning.save = (bks_save_policy)given->save;
    config->tuning.pace = paces[given->pace];
    config->tuning.on_desync = (bks_on_desync)given->on_desync;
    config->tuning.budget_us = (uint32_t)given->budget;
    config->tuning.bulk_bytes = setup->bulk.count > 0 ? BKS_LAB_BULK_BUFFER_BYTES : 0;
    config->watchers = (uint32_t)given->watchers;
    config->step_ns = (uint64_t)given->step_us * 1000;
    config->clock_ns = tool_clock_ns;
    config->allocations = alloc_count_works() ? count_allocations : NULL;
    int status = silence_read(&given->silence, &config->tuning.notify_after_ms,
                              &config->tuning.drop_after_ms);
    if (status == TOOL_OK) {
        status = record_detail_read(given->details, &config->record_detail);
    }
    if (status != TOOL_OK) {
        return status;
    }
    status = lab_plant(given->plant);
    if (status == ARGS_GO) {
        status = read_players(given->players, given->peers > 0, config);
    }
    if (status == ARGS_GO) {
        status = read_tunings(given, setup);
    }
    if (status == ARGS_GO) {
        status = read_frames(given->frames, config);
    }
    if (status == ARGS_GO && given->links_path != NULL) {
        status = read_links_file(given->links_path, setup);
    }
    if (status == ARGS_GO) {
        status = check_specs(setup);
    }
    if (status != ARGS_GO) {
        return status;
    }
    status = loader_open(given->positionals.items[0], &setup->game);
    if (status != TOOL_OK) {
        return status;
    }
    set_rate(setup, (uint32_t)given->rate_hz);
    config->game = setup->game.game;
    config->map = game_map_of(&setup->game);
    config->build = setup->game.build;
    config->arithmetic = setup->game.arithmetic;
    config->has_options = true;
    status =
        loader_options(config->game, given->options.items, given->options.count, &config->options);
    status = status == TOOL_OK ? set_variant(setup, given->with) : status;
    return status == TOOL_OK ? open_sources(setup, given) : status;
}

/// Create a folder and its parents.
static int make_folder(const char *path)
{
    char part[BKS_RECORD_PATH_BYTES_MAX];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof(part)) {
        tool_complain("--record", "the folder's name has %zu bytes, expected 1..%zu", length,
                      sizeof(part) - 1);
        return TOOL_MISUSE;
    }
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        memcpy(part, path, i);
        part[i] = '\0';
        if (!system_make_folder(part, false)) {
            tool_complain(part, "cannot be made: %s", strerror(errno));
            return TOOL_DAMAGED;
        }
    }
    return ARGS_GO;
}

/// Open the file of the report before the match, so that an error shows at once.
static int open_report(lab_setup *setup)
{
    setup->report = fopen(setup->report_path, "a");
    if (setup->report == NULL) {
        tool_complain(setup->report_path, "cannot be made: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    return ARGS_GO;
}

int lab_setup_open(int argc, char **argv, lab_setup *setup)
{
    memset(setup, 0, sizeof(*setup));
    command_line given = {.ticks = 3600,
                          .window = "20",
                          .delay = "auto",
                          .seed = 1,
                          .watchers = 8,
                          .keyframes = RECORD_KEYFRAMES_AUTO,
                          .save = BKS_SAVE_AUTO,
                          .budget = BKS_AUTO,
                          .silence = {SILENCE_NOT_GIVEN, SILENCE_NOT_GIVEN}};
    int status = read_arguments(argc, argv, setup, &given);
    if (status == ARGS_GO) {
        status = interpret(setup, &given);
    }
    if (status == ARGS_GO && setup->record_dir != NULL) {
        status = make_folder(setup->record_dir);
    }
    if (status == ARGS_GO && setup->report_path != NULL) {
        status = open_report(setup);
    }
    if (status != ARGS_GO) {
        lab_setup_close(setup);
    }
    return status;
}

void lab_setup_close(lab_setup *setup)
{
    source_set_close(setup->sources);
    free(setup->links_text);
    if (setup->report != NULL) {
        (void)fclose(setup->report);
    }
    setup->report = NULL;
    setup->sources = NULL;
    setup->links_text = NULL;
}

int lab_setup_record(const lab_setup *setup, uint32_t peer, bks_record_file *file)
{
    char path[BKS_RECORD_PATH_BYTES_MAX + 32];
    bks_error error = {0};
    snprintf(path, sizeof(path), "%s/peer-%" PRIu32 ".bks", setup->record_dir, peer);
    if (bks_record_file_open(file, path, setup->config.game->name, &error) != BKS_OK) {
        tool_complain_error(path, &error);
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}
