// SPDX-License-Identifier: MIT

// Two recordings side by side: what they say of themselves, inputs, hashes, events, and then the
// two states as the game makes them, down to the first mark or note that differs.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd_replay.h"
#include "json.h"
#include "loader.h"
#include "replay_diff.h"
#include "replay_print.h"
#include "tool.h"

// ---- as text ----

static void print_headers(const replay_diff *d)
{
    for (uint32_t i = 0; i < d->header_count; i++) {
        const replay_diff_header *header = &d->headers[i];
        printf("%s: '%s' and '%s'%s\n", header->name, header->a, header->b,
               header->counts ? "" : " (not counted)");
    }
}

static void print_inputs(const replay_diff *d)
{
    if (d->input.tick == BKS_TICK_NONE) {
        if (d->inputs_compared > 0) {
            printf("inputs: the same, %" PRId32 " ticks\n", d->inputs_compared);
        } else {
            printf("inputs: not compared: %s\n",
                   d->first >= d->common ? "no tick is in both" : "their layouts differ");
        }
        return;
    }
    printf("inputs: differ first at tick %" PRId32 ", player %" PRIu32 ", %s: %" PRId32
           " and %" PRId32 "\n",
           d->input.tick, d->input.player, d->input.field, d->input.a, d->input.b);
}

static void print_hashes(const replay_diff *d)
{
    if (d->hash.tick == BKS_TICK_NONE && d->hash.compared == 0) {
        printf("hashes: no tick has one in both\n");
        return;
    }
    if (d->hash.tick == BKS_TICK_NONE) {
        printf("hashes: the same, %" PRId32 " compared\n", d->hash.compared);
        return;
    }
    printf("hashes: differ first at tick %" PRId32 ": %0*" PRIx64 " and %0*" PRIx64 "\n",
           d->hash.tick, (int)(d->hash.bits + 3) / 4, d->hash.a, (int)(d->hash.bits + 3) / 4,
           d->hash.b);
    if (d->hash.whose != REPLAY_DIFF_UNKNOWN) {
        printf("  stepped here: as recorded in %s\n", replay_diff_whose(d->hash.whose));
    }
}

static void print_events(const replay_diff *d)
{
    if (d->event.index == UINT32_MAX) {
        printf("events: the same\n");
        return;
    }
    printf("events: differ first at number %" PRIu32 ": %s and %s\n", d->event.index,
           d->event.a[0] != '\0' ? d->event.a : "none",
           d->event.b[0] != '\0' ? d->event.b : "none");
}

static void print_states(const replay_diff *d)
{
    const replay_diff_state *state = &d->state;
    if (!state->is_stepped) {
        printf("states: not stepped%s%s\n", state->why[0] != '\0' ? ": " : "", state->why);
        return;
    }
    if (state->tick == BKS_TICK_NONE) {
        printf("states: stepped, none differs\n");
        return;
    }
    printf("states: differ first at tick %" PRId32 ": %016" PRIx64 " and %016" PRIx64 "\n",
           state->tick, state->a, state->b);
    if (state->mark[0] != '\0') {
        printf("  in tick %" PRId32 ", first at mark %s: %016" PRIx64 " and %016" PRIx64 "\n",
               state->tick - 1, state->mark, state->mark_a, state->mark_b);
    }
    if (state->note_a[0] != '\0' || state->note_b[0] != '\0') {
        printf("  in tick %" PRId32 ", first note: '%s' and '%s'\n", state->tick - 1, state->note_a,
               state->note_b);
    }
}

static void print_text(const replay_diff *d)
{
    print_headers(d);
    print_inputs(d);
    print_hashes(d);
    print_events(d);
    print_states(d);
    printf("%s\n", replay_diff_is_same(d) ? "the same" : "different");
}

// ---- as JSON ----

static void json_headers(json *j, const replay_diff *d)
{
    json_array(j, "headers");
    for (uint32_t i = 0; i < d->header_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", d->headers[i].name);
        json_text(j, "a", d->headers[i].a);
        json_text(j, "b", d->headers[i].b);
        json_bool(j, "counts", d->headers[i].counts);
        json_close(j);
    }
    json_close(j);
}

static void json_inputs(json *j, const replay_diff *d)
{
    if (d->input.tick == BKS_TICK_NONE) {
        json_null(j, "inputs");
        return;
    }
    json_object(j, "inputs");
    json_int(j, "tick", d->input.tick);
    json_uint(j, "player", d->input.player);
    json_text(j, "field", d->input.field);
    json_int(j, "a", d->input.a);
    json_int(j, "b", d->input.b);
    json_close(j);
}

static void json_hashes(json *j, const replay_diff *d)
{
    if (d->hash.tick == BKS_TICK_NONE) {
        json_null(j, "hashes");
        return;
    }
    char text[20];
    json_object(j, "hashes");
    json_int(j, "tick", d->hash.tick);
    snprintf(text, sizeof(text), "%0*" PRIx64, (int)(d->hash.bits + 3) / 4, d->hash.a);
    json_text(j, "a", text);
    snprintf(text, sizeof(text), "%0*" PRIx64, (int)(d->hash.bits + 3) / 4, d->hash.b);
    json_text(j, "b", text);
    json_text(j, "stepped_here",
              d->hash.whose != REPLAY_DIFF_UNKNOWN ? replay_diff_whose(d->hash.whose) : NULL);
    json_close(j);
}

static void json_event(json *j, const replay_diff *d)
{
    if (d->event.index == UINT32_MAX) {
        json_null(j, "events");
        return;
    }
    json_object(j, "events");
    json_uint(j, "index", d->event.index);
    json_text(j, "a", d->event.a[0] != '\0' ? d->event.a : NULL);
    json_text(j, "b", d->event.b[0] != '\0' ? d->event.b : NULL);
    json_close(j);
}

static void json_states(json *j, const replay_diff *d)
{
    const replay_diff_state *state = &d->state;
    json_bool(j, "stepped", state->is_stepped);
    if (state->tick == BKS_TICK_NONE) {
        json_null(j, "states");
        return;
    }
    json_object(j, "states");
    json_int(j, "tick", state->tick);
    json_hash(j, "a", state->a);
    json_hash(j, "b", state->b);
    json_text(j, "mark", state->mark[0] != '\0' ? state->mark : NULL);
    json_text(j, "note_a", state->note_a[0] != '\0' ? state->note_a : NULL);
    json_text(j, "note_b", state->note_b[0] != '\0' ? state->note_b : NULL);
    json_close(j);
}

static bool print_json(const replay_diff *d, const args_list *files)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "a", files->items[0]);
    json_text(&out, "b", files->items[1]);
    json_bool(&out, "same", replay_diff_is_same(d));
    json_int(&out, "compared", d->hash.compared);
    json_headers(&out, d);
    json_inputs(&out, d);
    json_hashes(&out, d);
    json_event(&out, d);
    json_states(&out, d);
    return json_end(&out);
}

// ---- the command ----

static int diff_files(const args_list *files, const char *game_name, bool is_json)
{
    replay_file a;
    replay_file b;
    const bool has_a = replay_file_open(files->items[0], &a) == TOOL_OK;
    const bool has_b = replay_file_open(files->items[1], &b) == TOOL_OK;
    int status = TOOL_DAMAGED;
    if (has_a && has_b) {
        replay_file_check(&a);
        replay_file_check(&b);
        static replay_diff d;
        replay_diff_make(&a, &b, game_name, &d);
        status = replay_diff_is_same(&d) ? TOOL_OK : TOOL_NO;
        if (!is_json) {
            print_text(&d);
        } else if (!print_json(&d, files)) {
            status = TOOL_DAMAGED;
        }
        status = a.status > status ? a.status : status;
        status = b.status > status ? b.status : status;
    }
    replay_file_close(&a);
    replay_file_close(&b);
    return status;
}

int cmd_replay_diff(int argc, char **argv)
{
    bool is_json = false;
    const char *game_name = NULL;
    args_list files = {0};
    const args_option options[] = {
        ARGS_TEXT("--game", "GAME", &game_name, "the game (default: found by its name)"),
        ARGS_FLAG("--json", &is_json, "print one JSON object"),
    };
    const args_spec spec = {
        .command = "replay diff",
        .usage = "[options] A B",
        .about =
            "Compares two recordings: what they say of themselves, inputs, hashes and events.\n"
            "Where inputs differ both are stepped, and the first tick, mark and note that\n"
            "differ are named. Where a match was recorded and what input delay that machine\n"
            "had is its own and does not count. Exit status 1 when they differ.",
        .options = options,
        .option_count = ARGS_COUNT(options),
        .positionals = &files,
        .positionals_min = 2,
        .positionals_max = 2,
    };
    const int status = args_parse(&spec, argc, argv);
    return status == ARGS_GO ? diff_files(&files, game_name, is_json) : status;
}
