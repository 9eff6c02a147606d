// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "record/recording/replay_commands.h"
#include "record/recording/replay_playback.h"
#include "record/recording/state_view.h"

// What was asked for.
typedef struct request {
    const char *game_name; // NULL: found by its name
    const char *tick;      // NULL: the last that is confirmed
    const char *under;     // NULL: all of it
    bool is_json;
    args_list files;
} request;

// The state that is shown.
typedef struct shown {
    const replay_file *file;
    const request *request;
    bks_tick tick;
    uint64_t hash;
    state_names names;
    bks_compared_state state;
} shown;

// ---- as text ----

static void print_totals(const state_view_totals *totals)
{
    printf("not shown: %" PRIu64 " bytes of padding, %" PRIu64 " free, %" PRIu64
           " of the library's bookkeeping",
           totals->bytes[BKS_MAP_PADDING], totals->bytes[BKS_MAP_FREE],
           totals->bytes[BKS_MAP_BOOKKEEPING]);
    if (totals->bytes[BKS_MAP_UNNAMED] > 0) {
        printf(", %" PRIu64 " without a name", totals->bytes[BKS_MAP_UNNAMED]);
    }
    printf("\n");
}

static int print_text(const shown *s, const state_view_request *view, state_view_totals *totals)
{
    printf("%s: %s at the start of tick %" PRId32 "%s\n%zu bytes, hash %016" PRIx64 "\n",
           s->file->path, s->file->info->game, s->tick,
           s->tick <= s->file->info->confirmed ? "" : ", which is not confirmed", s->state.count,
           s->hash);
    if (s->names.names.map == NULL) {
        printf("no types are known, so ranges and pools are shown: the game %s\n", s->names.why);
    }
    if (!state_view_print(view, stdout, tool_columns(), totals)) {
        tool_complain(s->file->path, "its state does not fit into memory as text");
        return TOOL_NO;
    }
    if (view->under == NULL) {
        print_totals(totals);
    }
    return TOOL_OK;
}

// ---- as JSON ----

static int print_json(const shown *s, const state_view_request *view, state_view_totals *totals)
{
    static const char *const uses[] = {"live", "padding", "free", "bookkeeping", "unnamed"};
    json out;
    json_begin(&out, stdout);
    json_text(&out, "file", s->file->path);
    json_text(&out, "game", s->file->info->game);
    json_int(&out, "tick", s->tick);
    json_bool(&out, "confirmed", s->tick <= s->file->info->confirmed);
    json_hash(&out, "hash", s->hash);
    json_uint(&out, "state_bytes", s->state.count);
    json_text(&out, "no_types", s->names.names.map == NULL ? s->names.why : NULL);
    json_text(&out, "under", view->under);
    state_view_json(view, &out, totals);
    json_object(&out, "bytes");
    for (int i = 0; i < 5; i++) {
        json_uint(&out, uses[i], totals->bytes[i]);
    }
    json_close(&out);
    return json_end(&out) ? TOOL_OK : TOOL_DAMAGED;
}

// ---- the command ----

// Nothing of what was asked for is there.
static int complain_under(const shown *s, const state_view_totals *totals)
{
    if (totals->is_not_live) {
        tool_complain(s->request->under, "is not live at tick %" PRId32, s->tick);
        return TOOL_NO;
    }
    tool_complain("--under",
                  "is '%s', which the state at tick %" PRId32 " does not have, expected %s",
                  s->request->under, s->tick, totals->objects);
    return TOOL_MISUSE;
}

static int show(shown *s)
{
    const state_view_request view = {
        .names = &s->names, .state = s->state, .under = s->request->under};
    state_view_totals totals;
    if (view.under != NULL) {
        state_view_look(&view, &totals);
        if (totals.shown == 0) {
            return complain_under(s, &totals);
        }
    }
    const int status =
        s->request->is_json ? print_json(s, &view, &totals) : print_text(s, &view, &totals);
    if (status == TOOL_OK && !totals.is_whole) {
        tool_complain(s->file->path, "its state has too many references to show what lies behind "
                                     "the last of these values");
    }
    return status;
}

// The state as bytes.
// @return false, with an error on stderr
static bool export_state(shown *s, bks_playback *playback, uint8_t **out)
{
    const size_t room = bks_playback_export(playback, NULL, 0);
    *out = room > 0 ? malloc(room) : NULL;
    s->state.bytes = *out;
    s->state.count = *out != NULL ? bks_playback_export(playback, *out, room) : 0;
    tool_log_drop();
    if (s->state.count == 0) {
        tool_complain(s->file->path, "its state cannot be read as bytes: %s",
                      *out == NULL ? "it does not fit into memory"
                                   : "it holds raw pointers, or the game does not save it");
    }
    return s->state.count > 0;
}

static int show_tick(shown *s)
{
    loaded_game game;
    bks_playback *playback = NULL;
    uint8_t *bytes = NULL;
    int status = replay_playback_open(s->file, s->request->game_name, &game, &playback);
    if (status == TOOL_OK) {
        status = replay_playback_seek(s->file, playback, s->tick);
    }
    if (status == TOOL_OK) {
        s->hash = bks_playback_hash(playback);
        const int agrees = replay_playback_compare(s->file, s->tick, s->hash);
        if (agrees != TOOL_OK) {
            loader_compare_builds(s->file->path, s->file->info, &game);
        }
        state_names_find(&game, &s->names);
        const int printed = export_state(s, playback, &bytes) ? show(s) : TOOL_NO;
        status = printed > agrees ? printed : agrees;
    }
    free(bytes);
    bks_playback_destroy(playback);
    return status;
}

static int show_file(const request *r)
{
    replay_file file;
    if (replay_file_open(r->files.items[0], &file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    shown s = {.file = &file, .request = r, .tick = file.info->confirmed};
    int status = r->tick != NULL ? replay_playback_tick(&file, r->tick, &s.tick) : TOOL_OK;
    if (status == TOOL_OK) {
        status = show_tick(&s);
    }
    status = file.status > status ? file.status : status;
    replay_file_close(&file);
    return status;
}

int cmd_replay_state(int argc, char **argv)
{
    static request r;
    r = (request){0};
    const args_option options[] = {
        ARGS_TEXT("--tick", "N", &r.tick,
                  "the state at the start of tick N (default: the last confirmed one)"),
        ARGS_TEXT("--under", "OBJECT", &r.under,
                  "only an object, or a field of one: 'ships', 'ships[1]', 'ships[1].x', or "
                  "'(arena)', '(free)', '(padding)'"),
        ARGS_RECORDED_GAME(&r.game_name),
        ARGS_JSON(&r.is_json),
    };
    const args_spec spec = {
        .command = "replay state",
        .usage = "[options] FILE",
        .about =
            "Seek to a tick of a recording and print the state by names: floats with their bits,\n"
            "enumerators by name, references by what they lead to; equal elements of an array as\n"
            "one, and zeros by name alone. The names come from the game's debug information "
            "(build\n"
            "it with -g; 'bks games --map GAME' shows them). Exit status 1 if the state is not "
            "the\n"
            "recorded one.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&r.files, 1, 1),
    };
    const int status = args_parse(&spec, argc, argv);
    return status == ARGS_GO ? show_file(&r) : status;
}
