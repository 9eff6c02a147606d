// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // makes <stdlib.h> declare realpath()

#include "base/command.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/base.h"
#include "base/args.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/text.h"
#include "base/tool.h"
#include "record/run/run.h"

_Static_assert((int)RUN_PATH_BYTES >= PATH_MAX, "realpath() writes as many bytes");

enum { LATE_TICKS_MAX = 250 };

static bool read_player(run_options *o)
{
    const char *text = o->player_text;
    if (text == NULL || strcmp(text, "none") == 0) {
        return true;
    }
    if (strcmp(text, "recorded") == 0) {
        o->player = RUN_AS_RECORDED;
        return true;
    }
    if (args_number(text, &o->player) && o->player >= 0 && o->player < BKS_PLAYERS_MAX) {
        return true;
    }
    tool_complain("--as-player", "is '%s', expected none, recorded or a number from 0 to %d", text,
                  BKS_PLAYERS_MAX - 1);
    return false;
}

static int parse(run_options *o, int argc, char **argv)
{
    *o = (run_options){.times = 1, .until = INT32_MAX, .break_tick = -1, .player = RUN_AS_NONE};
    const args_option options[] = {
        ARGS_CHOICE("--render", "none|dry|full", &o->render,
                    "none (the default); dry: do all drawing work and show nothing; full: show it "
                    "in a window"),
        ARGS_INT("--times", "N", &o->times, 1, 1000000,
                 "play it N times (default 1); from the second time on, play it again in a new "
                 "process with other addresses, heap contents, stack and clock, as bks check does: "
                 "is the game deterministic?"),
        ARGS_INT("--until", "TICK", &o->until, 0, INT32_MAX,
                 "stop before stepping this tick (default: at the end)"),
        ARGS_FLAG("--no-verify", &o->no_verify,
                  "compare no hashes and accept any version of the game: for a changed build on "
                  "old inputs"),
        ARGS_TEXT("--as-player", "none|recorded|N", &o->player_text,
                  "play it from the perspective of player N: the others' inputs come late, are "
                  "guessed until then, and a wrong guess causes a rollback; recorded: from the "
                  "perspective of the machine that recorded, with its rollbacks (--keep "
                  "rollbacks); none (the default): all inputs known, no rollback"),
        ARGS_INT("--late", "TICKS", &o->late_ticks, 1, LATE_TICKS_MAX,
                 "with --as-player N: how late the others' inputs arrive (default 6)"),
        ARGS_INT("--break", "TICK", &o->break_tick, 0, INT32_MAX,
                 "stop in the debugger before stepping this tick"),
        ARGS_FLAG("--stats", &o->has_stats,
                  "print the time of steps, from mark to mark, and of drawing, and the ticks that "
                  "took longest"),
        ARGS_TEXT("--compare", "OTHER", &o->compare_path,
                  "compare the times of a step with those of another build, in turns: OTHER is its "
                  "plug-in, or what --json printed with it while its plug-in still exists; each "
                  "plays at least 10 times"),
        ARGS_JSON(&o->is_json),
    };
    const args_spec spec = {
        .command = "run",
        .usage = "[GAME] FILE [options]",
        .about = "Play a recording at full speed and compare every hash. Ticks that were stepped\n"
                 "with guesses when the recording stopped are stepped too, so a crash is "
                 "reproduced.\n"
                 "Without GAME, the game is found by the name in the recording.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&o->positionals, 1, 2),
        .more = "examples:\n"
                "  bks run duel match.bks\n"
                "  bks run duel match.bks --as-player 1\n"
                "  bks run ./changed.so match.bks --no-verify --stats\n"
                "  bks run duel match.bks --times 20 --json >before.json\n"
                "  bks run ./faster.so match.bks --compare before.json\n"
                "  bks run ./faster.so match.bks --compare ./before.so\n"
                "  gdb -ex run --args bks run duel match.bks --break 1200\n"
                "  bks run duel crashed.bks --verbose     the last line names the tick",
    };
    const int status = args_parse(&spec, argc, argv);
    return status == ARGS_GO && !read_player(o) ? TOOL_MISUSE : status;
}

// Check that the options fit the recording.
static int check_ticks(const run *r)
{
    const run_options *o = r->options;
    const bks_tick ticks = r->file.info->ticks;
    const bks_tick first = r->file.info->first;
    if (o->until != INT32_MAX && (o->until < first || o->until > ticks)) {
        tool_complain(r->file.path,
                      "has no tick %" PRId64 ", expected --until %" PRId32 " to %" PRId32, o->until,
                      first, ticks);
        return TOOL_MISUSE;
    }
    if (o->player >= (int64_t)r->file.info->players) {
        tool_complain(r->file.path, "has no player %" PRId64 ", expected --as-player 0 to %" PRIu32,
                      o->player, r->file.info->players - 1);
        return TOOL_MISUSE;
    }
    if (o->player == RUN_AS_RECORDED && r->file.info->rollback_count == 0) {
        tool_complain(r->file.path, "has no rollbacks, expected a recording made with --keep "
                                    "rollbacks in which there were some");
        return TOOL_MISUSE;
    }
    if (o->late_ticks > 0 && o->player < 0) {
        tool_complain("--late",
                      "is %" PRId64
                      ", but no input is late without a player: expected --as-player N",
                      o->late_ticks);
        return TOOL_MISUSE;
    }
    if (o->break_tick >= 0 && (o->break_tick < first || o->break_tick >= r->end)) {
        tool_complain(r->file.path,
                      "does not step tick %" PRId64 ", expected --break %" PRId32 " to %" PRId32,
                      o->break_tick, first, r->end - 1);
        return TOOL_MISUSE;
    }
    if (o->break_tick >= 0 && !system_has_debugger()) {
        tool_complain("--break", "there is no debugger to stop in, start with: gdb -ex run --args "
                                 "bks run ...");
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

static int open_other(run *r)
{
    if (r->options->compare_path == NULL) {
        return TOOL_OK;
    }
    const run_measured now = {.recording = r->recording,
                              .ticks = r->end,
                              .player = r->options->player,
                              .has_marks = r->options->has_stats};
    const int status = run_compare_open(r->options->compare_path, &r->game, &r->other);
    return status == TOOL_OK ? run_compare_check(&r->other, r->file.path, &now) : status;
}

static int open_screen(run *r)
{
    if (r->options->render != RUN_RENDER_NONE && r->game.plugin->draw == NULL) {
        tool_complain(r->game.game->name, "cannot draw itself, expected --render none");
        return TOOL_MISUSE;
    }
    if (r->options->render == RUN_RENDER_FULL) {
        r->screen = window_open(r->game.game->name, RUN_WIDTH, RUN_HEIGHT, false, NULL);
        return r->screen != NULL ? TOOL_OK : TOOL_DAMAGED;
    }
    return TOOL_OK;
}

// Load the recording, the game and the other build.
static int open_all(run *r)
{
    const args_list *given = &r->options->positionals;
    if (replay_file_open(given->items[given->count - 1], &r->file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    r->recording = bks_hash64(r->file.bytes, (size_t)r->file.info->bytes, 0);
    const char *name = given->count > 1 ? given->items[0] : NULL;
    // With --no-verify load the game by its name, even if another build made the recording.
    int status = !r->options->no_verify
                     ? loader_open_recorded(r->file.path, name, r->file.info, &r->game)
                 : name != NULL ? loader_open(name, &r->game)
                                : loader_open_named(r->file.path, r->file.info->game, &r->game);
    if (status != TOOL_OK) {
        return status;
    }
    if (strcmp(r->game.game->name, r->file.info->game) != 0) {
        tool_complain(r->file.path, "is a recording of %s, expected one of %s", r->file.info->game,
                      r->game.game->name);
        return TOOL_MISUSE;
    }
    replay_file_allow(&r->file, r->game.game);
    r->end =
        r->options->until < r->file.info->ticks ? (bks_tick)r->options->until : r->file.info->ticks;
    char *real = system_real_path(r->game.path);
    TEXT_SET(r->plugin_path, "%s", real != NULL ? real : r->game.path);
    free(real);
    status = check_ticks(r);
    if (status == TOOL_OK) {
        status = open_other(r);
    }
    if (status == TOOL_OK && !run_stats_open(&r->stats, r->file.info->first, r->end)) {
        tool_complain(r->file.path, "there is no memory for the times of %" PRId32 " ticks",
                      r->end - r->file.info->first);
        return TOOL_DAMAGED;
    }
    return status == TOOL_OK ? open_screen(r) : status;
}

static int run_file(run *r)
{
    int status = open_all(r);
    stop_catch();
    if (status == TOOL_OK) {
        status = run_play(r);
    }
    if (status == TOOL_OK) {
        status = run_vary(r);
    }
    if (status == TOOL_OK && r->options->compare_path != NULL && r->outcome.is_same &&
        !r->outcome.is_ended_by_hand) {
        const run_pair_config config = {.playback = run_playback_config(r, r->file.replay),
                                        .first = r->file.info->first,
                                        .end = r->end,
                                        .times = (uint32_t)r->options->times};
        status = run_compare_measure(&r->other, config, &r->game, &r->stats.least);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (r->outcome.has_failed) {
        status = TOOL_NO; // the log has reported the reason
    }
    if (!r->outcome.is_same) {
        tool_complain(r->file.path, "the state at tick %" PRId32 " is not the recorded one%s",
                      r->outcome.first_different, r->options->times > 1 ? "" : ", there it ends");
        loader_compare_builds(r->file.path, r->file.info, &r->game);
        status = TOOL_NO;
    }
    if (run_is_apart(r)) {
        run_complain_apart(r);
        status = TOOL_NO;
    }
    if (stop_is_wanted()) {
        tool_complain(r->file.path, "stopped by hand at tick %" PRId32, r->outcome.reached);
        status = TOOL_NO;
    }
    if (!r->options->is_json) {
        run_print_text(r);
    } else if (!run_print_json(r)) {
        status = TOOL_DAMAGED;
    }
    return r->file.status > status ? r->file.status : status;
}

int cmd_run(int argc, char **argv)
{
    static run_options options;
    const int parsed = parse(&options, argc, argv);
    if (parsed != ARGS_GO) {
        return parsed;
    }
    static run r;
    r = (run){.options = &options, .outcome = {.is_same = true, .first_different = BKS_TICK_NONE}};
    const int status = run_file(&r);
    window_close(r.screen);
    replay_file_close(&r.file);
    run_stats_free(&r.stats);
    free(r.runs);
    return status;
}
