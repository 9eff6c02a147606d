// SPDX-License-Identifier: MIT

#include "base/command.h"

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/writer.h"
#include "base/args.h"
#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_chance.h"
#include "diagnose/doctor/doctor_play.h"
#include "diagnose/doctor/doctor_report.h"
#include "diagnose/doctor/doctor_steps.h"
#include "diagnose/doctor/doctor_vote.h"
#include "game/loader.h"

// Print the environment of this machine, as a recording made here would hold it.
static void print_environment(const bks_game *game)
{
    doctor_memory memory = {0};
    const uint8_t state = 0;
    bks_replay_config config = {.game = game,
                                .players = game->players_max,
                                .tick_rate_hz = game->tick_rate_hz,
                                .unconfirmed_ticks_max = 1,
                                .state = &state,
                                .state_bytes = 1,
                                .sink = doctor_memory_sink(&memory)};
    bks_replay_writer *writer = NULL;
    bks_replay *replay = NULL;
    (void)bks_option_values_default(game, &config.options);
    if (bks_replay_writer_create(&config, &writer, NULL) == BKS_OK &&
        bks_replay_open(memory.bytes, memory.count, NULL, &replay, NULL) == BKS_OK) {
        const bks_recording *info = bks_replay_info(replay);
        for (uint32_t i = 0; i < info->environment_count; i++) {
            printf("environment %s %s\n", info->environment[i].name, info->environment[i].value);
        }
    }
    bks_replay_close(replay);
    bks_replay_writer_destroy(writer);
    doctor_memory_free(&memory);
}

// Step the recording in this process and print the hashes. A process started as by `bks check`
// would not do, because its environment is changed.
static void print_hashes(const doctor_case *c, bks_tick first)
{
    const replay_file *file = &c->sides[0].file;
    const bks_playback_config config = {.replay = file->replay, .game = c->game.game};
    bks_playback *playback = NULL;
    if (bks_playback_create(&config, &playback, NULL) == BKS_OK &&
        bks_playback_seek(playback, first, NULL) == BKS_OK) {
        for (bks_tick tick = first; tick - first < DOCTOR_ANSWER_HASHES_MAX; tick++) {
            printf("hash %" PRId32 " %016" PRIx64 "\n", tick, bks_playback_hash(playback));
            if (tick >= file->info->confirmed || bks_playback_step(playback) != BKS_OK) {
                break;
            }
        }
    }
    bks_playback_destroy(playback);
}

// Return true if a play agrees with the recording up to the tick at which this process differs from
// it, or to the end.
static bool is_as_here(const doctor_case *c, const doctor_play *play, bks_tick different)
{
    const check_span *span = &play->tape->span;
    bool is_as = play->is_done;
    for (uint32_t i = 0; is_as && i < span->counts[0]; i++) {
        const bks_tick tick = span->first + (bks_tick)i;
        const bool agrees =
            bks_replay_hash_agrees(c->sides[0].file.replay, tick, span->hashes[0][i]);
        is_as = (different != BKS_TICK_NONE && tick > different) || agrees == (tick != different);
    }
    return is_as;
}

// Return how many processes come to the same hashes, this one included: a game that varies from run
// to run comes to them by chance.
// @param different  first tick at which this process differs from the recording
static uint32_t count_runs(doctor_case *c, bks_tick different)
{
    static doctor_play first;
    uint32_t runs = 1;
    const bks_tick event = c->sides[0].event_tick;
    if (different == BKS_TICK_NONE) {
        doctor_open_look(c, event != BKS_TICK_NONE ? event : c->sides[0].file.info->confirmed);
    }
    doctor_play_run(c, 0, DOCTOR_STRAIGHT, false, &first);
    runs += is_as_here(c, &first, different) ? 1 : 0;
    while (runs > 1 && runs <= DOCTOR_CHANCE_PLAYS &&
           doctor_chance_repeats(c, &first, 0, DOCTOR_STRAIGHT, false)) {
        runs++;
    }
    doctor_play_close(&first);
    return runs;
}

/// Step the recording of side A, and print an answer file for another machine's doctor. Errors go
/// to stderr.
/// @param c  a case whose recordings are open
/// @return TOOL_OK, TOOL_MISUSE or TOOL_DAMAGED
static int doctor_here_write(doctor_case *c)
{
    bks_verify_result result;
    const replay_file *file = &c->sides[0].file;
    const int status = doctor_open_here(c, &result);
    if (status != TOOL_OK) {
        return status;
    }
    printf("%s\nrecording %016" PRIx64 "\ngame %s\nbuild %s\n", DOCTOR_ANSWER_MAGIC,
           bks_hash64(file->bytes, file->count, 0), c->game.game->name, c->game.build);
    print_environment(c->game.game);
    printf("ticks %" PRId32 "\nruns %" PRIu32 "\n", result.compared,
           count_runs(c, result.first_different));
    if (result.first_different == BKS_TICK_NONE) {
        printf("differs none\n");
        return TOOL_OK;
    }
    printf("differs %" PRId32 "\n", result.first_different);
    print_hashes(c, result.first_different);
    return TOOL_OK;
}

typedef struct doctor_options {
    args_list positionals;
    const char *build;
    const char *here; ///< recording of --here, which is stepped to print an answer file; NULL: none
    args_list answers;
    const char *shorten; ///< folder for shortened recordings, NULL: none
    const char *html;    ///< file of the HTML page, NULL: none
    bool is_json;
} doctor_options;

static int parse(doctor_options *o, int argc, char **argv)
{
    const args_option options[] = {
        ARGS_TEXT("--build", "OTHER.so", &o->build,
                  "another build of the game, such as the one that the other side ran"),
        ARGS_LIST("--answer", "FILE", &o->answers,
                  "what another machine answered about one of the recordings, as evidence"),
        ARGS_TEXT("--html", "FILE", &o->html,
                  "write a page with all of it: the object tick by tick, pictures, timelines"),
        ARGS_TEXT(
            "--shorten", "FOLDER", &o->shorten,
            "write the least stretch that comes to the same verdict, as A.bks and B.bks, and a "
            "C test of it, test.c"),
        ARGS_TEXT("--here", "FILE.bks", &o->here,
                  "instead of all that, step this recording here and print the answer"),
        ARGS_JSON(&o->is_json),
    };
    const args_spec spec = {
        .command = "doctor",
        .usage = "GAME A.bks [B.bks ...] [options], or [GAME] --here FILE.bks",
        .about =
            "Why do two recordings of a match differ? Compare headers, inputs and hashes, find\n"
            "out whose hash this machine comes to, play the recorded rollbacks, and step the\n"
            "stretch before the difference under one change at a time (the variants of\n"
            "bks check), until one side's hash turns into the other's. Only then is the cause\n"
            "'proven'; without such a change it is 'unattributed'. With one recording, the other\n"
            "side is the peer whose hash it holds, or this machine. Of three to eight, a vote at\n"
            "the first tick that differs says which stands alone; it is compared with the "
            "majority.\n"
            "Exit status 0: the same; 1: they differ; 3: a recording is damaged.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&o->positionals, 0, 1 + DOCTOR_FILES_MAX),
        .more = "examples:\n"
                "  bks doctor duel A.bks B.bks\n"
                "  bks doctor duel peer-0.bks peer-1.bks peer-2.bks\n"
                "  bks doctor ./my.so A.bks B.bks --build ./old/my.so --json\n"
                "  bks doctor --here B.bks > answer.txt\n"
                "  bks doctor ./my.so A.bks B.bks --answer answer.txt",
    };
    const int status = args_parse(&spec, argc, argv);
    const uint32_t count = o->positionals.count;
    const bool is_more_than_here = count > 1 || o->build != NULL || o->answers.count > 0 ||
                                   o->html != NULL || o->shorten != NULL || o->is_json;
    if (status == ARGS_GO && (o->here != NULL ? is_more_than_here : count < 2)) {
        tool_complain("doctor", o->here != NULL
                                    ? "--here FILE.bks goes with GAME alone"
                                    : "expected GAME A.bks [B.bks], or --here FILE.bks");
        return TOOL_MISUSE;
    }
    if (status == ARGS_GO && o->answers.count > DOCTOR_ANSWERS_MAX) {
        tool_complain("--answer", "is given %" PRIu32 " times, expected at most %d",
                      o->answers.count, DOCTOR_ANSWERS_MAX);
        return TOOL_MISUSE;
    }
    return status;
}

static int open_case(const doctor_options *o, doctor_case *c)
{
    const args_list *list = &o->positionals;
    const char *game = list->count > 0 ? list->items[0] : NULL;
    const char *files[2] = {o->here != NULL ? o->here : list->items[1],
                            list->count > 2 ? list->items[2] : NULL};
    if (list->count > 3) {
        const int status = doctor_vote_take(c, list->items + 1, list->count - 1, files);
        if (status != TOOL_OK) {
            return status;
        }
    }
    return doctor_open(c, game, files[0], files[1]);
}

static int check_places(const doctor_options *o, doctor_case *c)
{
    int status = o->shorten != NULL ? doctor_shorten_check(c, o->shorten) : TOOL_OK;
    if (status == TOOL_OK && o->shorten != NULL) {
        status = doctor_c_test_check(c, o->shorten);
    }
    if (status == TOOL_OK && o->html != NULL) {
        status = doctor_html_check(o->html);
    }
    return status;
}

static int answer_here(doctor_case *c)
{
    const int status = doctor_open_game(c);
    return status == TOOL_OK ? doctor_here_write(c) : status;
}

static int shorten(const doctor_options *o, doctor_case *c)
{
    const int status = doctor_shorten(c, o->shorten);
    return status == TOOL_OK ? doctor_c_test_write(c, o->shorten) : status;
}

// Print the verdict even if a shortened recording cannot be written, and before the HTML page,
// which loads states of the game in this process.
static int diagnose(const doctor_options *o, doctor_case *c)
{
    int status = check_places(o, c);
    if (status == TOOL_OK) {
        status = doctor_examine(c);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (o->shorten != NULL) {
        status = shorten(o, c);
    }
    if (stop_is_wanted()) {
        return TOOL_STOPPED;
    }
    if (!doctor_print(c, o->is_json)) {
        return TOOL_DAMAGED;
    }
    (void)fflush(stdout);
    tool_note_output();
    if (o->html != NULL) {
        const int written = doctor_html_write(c, o->html);
        status = status != TOOL_OK ? status : written;
    }
    return status != TOOL_OK ? status : c->verdict.is_same ? TOOL_OK : TOOL_NO;
}

int cmd_doctor(int argc, char **argv)
{
    static doctor_options o;
    static doctor_case c;
    int status = parse(&o, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    c.build = o.build;
    c.answers = &o.answers;
    status = open_case(&o, &c);
    if (status != TOOL_OK) {
        return status;
    }
    stop_catch();
    status = o.here != NULL ? answer_here(&c) : diagnose(&o, &c);
    doctor_close(&c);
    return status;
}
