// SPDX-License-Identifier: MIT

// The command `bks replay diff`: print the first difference of two recordings. `bks doctor` also
// proves the cause.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/args.h"
#include "base/command.h"
#include "base/json.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/diff/replay_diff.h"
#include "record/recording/replay_print.h"

// ---- output as text ----

static void print_files(const replay_diff *d)
{
    for (int i = 0; i < 2; i++) {
        const replay_file *file = d->files[i];
        const char *ending = replay_file_ending(file->info);
        printf("%c: %s: %s, confirmed from tick %" PRId32 " to %" PRId32 ", %s\n", 'A' + i,
               plain_name(file->path), file->info->game, file->info->first, file->info->confirmed,
               ending != NULL ? ending : "damaged");
        for (uint32_t k = 0; k < file->info->repair_count; k++) {
            bks_replay_repair repair;
            char text[REPLAY_REPAIR_TEXT_BYTES];
            (void)bks_replay_repair_at(file->replay, k, &repair);
            replay_repair_text(&repair, text);
            printf("%c: %s\n", 'A' + i, text);
        }
    }
}

// Return a recording that holds no states, because its game's state holds raw pointers. NULL if
// both hold states.
static const bks_recording *find_pointers(const replay_diff *d)
{
    for (int i = 0; i < 2; i++) {
        if (d->files[i]->info->has_pointers) {
            return d->files[i]->info;
        }
    }
    return NULL;
}

// If stepping on this machine cannot show the mark of the first difference, print how to find it.
static void print_advice(const replay_diff *d)
{
    const bks_recording *pointing = find_pointers(d);
    if (d->found.hash_tick == BKS_TICK_NONE || d->state.tick != BKS_TICK_NONE ||
        (d->files[0]->info->mark_ticks > 0 && d->files[1]->info->mark_ticks > 0)) {
        return;
    }
    if (pointing != NULL) {
        printf(
            "  the mark is not known: the state of %s holds raw pointers, so no recording keeps\n"
            "  it; bks check compares it within one process\n",
            pointing->game);
    } else {
        printf("  the mark is not known: record both with --keep marks\n");
    }
}

static void print_states(const replay_diff *d)
{
    const replay_diff_state *state = &d->state;
    if (!state->is_stepped) {
        printf("states: not stepped%s%s\n", state->why[0] != '\0' ? ": " : "", state->why);
        print_advice(d);
        return;
    }
    if (state->tick == BKS_TICK_NONE) {
        printf("states: stepped, none differs\n");
        return;
    }
    char value[REPLAY_DIFF_VALUE_BYTES];
    replay_diff_value_text(&state->value, value, sizeof(value));
    printf("states: differ first at tick %" PRId32 ": %016" PRIx64 " in A, %016" PRIx64 " in B\n",
           state->tick, state->a, state->b);
    printf("  in tick %" PRId32 ", first at mark %s%s: %016" PRIx64 " in A, %016" PRIx64 " in B\n",
           state->step_tick, state->mark, value, state->mark_a, state->mark_b);
    if (state->note[0][0] != '\0' || state->note[1][0] != '\0') {
        printf("  in tick %" PRId32 ", first note: '%s' in A, '%s' in B\n", state->step_tick,
               state->note[0], state->note[1]);
    }
}

// Print whether the recordings differ, and which ticks were compared.
static void print_verdict(const replay_diff *d)
{
    const bks_recording *a = d->files[0]->info;
    const bks_recording *b = d->files[1]->info;
    const bks_tick first = replay_diff_first(d);
    if (first != BKS_TICK_NONE) {
        printf("different from tick %" PRId32 " on\n", first);
    } else if (replay_diff_is_undecided(d)) {
        printf("nothing differs, but too little is in both to call them the same\n");
    } else if (!replay_diff_is_same(d)) {
        printf("different\n");
    } else if (a->first == b->first && a->confirmed == b->confirmed) {
        printf("the same%s\n", d->found.repaired > 0 ? " outside what was repaired" : "");
    } else {
        printf("the same from tick %" PRId32 " to %" PRId32 ", as far as both confirm%s\n",
               d->found.first, d->found.until,
               d->found.repaired > 0 ? ", outside what was repaired" : "");
    }
}

// Return the first value that differs and whose mark is known, found in the recordings or by
// stepping.
// @return NULL if no mark is known
static const replay_diff_value *first_value(const replay_diff *d, bks_tick *tick, const char **mark)
{
    const bool has_marks = d->marks.tick != BKS_TICK_NONE;
    *tick = has_marks ? d->marks.tick : d->state.step_tick;
    *mark = has_marks ? d->marks.mark : d->state.mark;
    return has_marks ? &d->marks.value : d->state.tick != BKS_TICK_NONE ? &d->state.value : NULL;
}

static void print_first(const replay_diff *d)
{
    bks_tick tick = BKS_TICK_NONE;
    const char *mark = NULL;
    const replay_diff_value *value = first_value(d, &tick, &mark);
    const replay_diff_notes *notes = &d->notes;
    if (notes->tick != BKS_TICK_NONE && notes->is_first) {
        printf("in tick %" PRId32 ", behind mark %s:\n  note '%s' in A, '%s' in B\n", notes->tick,
               notes->mark[0] != '\0' ? notes->mark : "(unknown)", notes->text[0], notes->text[1]);
    }
    if (value != NULL && value->name[0] != '\0') {
        const bool has_note = value->note[0] != '\0';
        printf("in tick %" PRId32 ", at mark %s%s:\n  %s%s%s%s\n    A  %s\n    B  %s\n", tick, mark,
               d->marks.is_late ? ", with no marks in both before it" : "", value->name,
               has_note ? " (" : "", value->note, has_note ? ")" : "", value->a, value->b);
    }
    printf("\n");
}

static void print_line(void *context, bool is_detail, const char *line)
{
    (void)context, (void)is_detail;
    printf("%s\n", line);
}

static void print_text(const replay_diff *d)
{
    print_verdict(d);
    print_first(d);
    print_files(d);
    replay_diff_report_files(d, print_line, NULL);
    replay_diff_report_marks(d, print_line, NULL);
    print_states(d);
}

// ---- output as JSON ----

static void json_files(json *j, const replay_diff *d)
{
    json_array(j, "files");
    for (int i = 0; i < 2; i++) {
        const bks_recording *info = d->files[i]->info;
        json_object(j, NULL);
        json_text(j, "file", d->files[i]->path);
        json_text(j, "game", info->game);
        json_uint(j, "players", info->players);
        json_int(j, "first", info->first);
        json_int(j, "ticks", info->ticks);
        json_int(j, "confirmed", info->confirmed);
        json_text(j, "end", replay_file_ending(info));
        json_nonempty(j, "desync", d->desync[i]);
        replay_repairs_json(j, d->files[i]);
        json_close(j);
    }
    json_close(j);
}

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

// Open a JSON object for the first difference of one kind. Write null instead if there is none.
// @return true if an object was opened
static bool open_at(json *j, const char *key, bks_tick tick)
{
    if (tick == BKS_TICK_NONE) {
        json_null(j, key);
        return false;
    }
    json_object(j, key);
    json_int(j, "tick", tick);
    return true;
}

static void json_input(json *j, const char *key, const bks_input_difference *input,
                       const char *field)
{
    if (open_at(j, key, input->tick)) {
        json_uint(j, "player", input->player);
        json_text(j, "field", field);
        json_int(j, "a", input->a);
        json_int(j, "b", input->b);
        json_close(j);
    }
}

static void json_hashes(json *j, const replay_diff *d)
{
    const bks_replay_comparison *found = &d->found;
    const int digits = (int)(found->hash_bits + 3) / 4;
    char text[20];
    if (open_at(j, "hashes", found->hash_tick)) {
        snprintf(text, sizeof(text), "%0*" PRIx64, digits, found->hash_a);
        json_text(j, "a", text);
        snprintf(text, sizeof(text), "%0*" PRIx64, digits, found->hash_b);
        json_text(j, "b", text);
        json_text(j, "stepped_here", d->whose);
        json_close(j);
    }
}

static void json_value(json *j, const replay_diff_value *value)
{
    const bool is_known = value->name[0] != '\0';
    json_nonempty(j, "name", value->name);
    json_text(j, "a", is_known ? value->a : NULL);
    json_text(j, "b", is_known ? value->b : NULL);
}

// Write a value with its object and field as keys of their own.
static void json_place(json *j, const replay_diff_value *value)
{
    json_value(j, value);
    json_nonempty(j, "object", value->object);
    json_nonempty(j, "field", value->field);
    json_nonempty(j, "note", value->note);
}

static void json_rows(json *j, const replay_diff *d)
{
    const bks_replay_comparison *found = &d->found;
    json_int(j, "pages_compared", found->pages_compared);
    if (open_at(j, "pages", found->page_tick)) {
        json_uint(j, "page", found->page);
        json_uint(j, "differ", found->pages_differ);
        json_text(j, "holds", d->page);
        json_close(j);
    }
    json_int(j, "values_compared", found->values_compared);
    if (open_at(j, "values", found->value_tick)) {
        json_uint(j, "differ", found->value_ranges);
        json_value(j, &d->value);
        json_close(j);
    }
    json_uint(j, "keyframes_compared", found->states_compared);
    json_uint(j, "keyframes_unreadable", found->states_unreadable);
    json_uint(j, "keyframes_skipped", found->states_skipped);
    if (open_at(j, "keyframes", found->state_tick)) {
        json_uint(j, "offset", found->state_offset);
        json_uint(j, "differ", found->state_differ);
        json_place(j, &d->keyframe_value);
        json_close(j);
    }
}

static void json_marks(json *j, const replay_diff *d)
{
    const replay_diff_marks *marks = &d->marks;
    const replay_diff_notes *notes = &d->notes;
    json_int(j, "marks_compared", marks->compared);
    json_int(j, "marks_lost", marks->lost);
    if (open_at(j, "marks", marks->tick)) {
        json_text(j, "mark", marks->mark);
        json_bool(j, "late", marks->is_late);
        json_place(j, &marks->value);
        json_close(j);
    }
    json_int(j, "notes_compared", notes->compared);
    if (open_at(j, "notes", notes->tick)) {
        json_nonempty(j, "mark", notes->mark);
        json_nonempty(j, "a", notes->text[0]);
        json_nonempty(j, "b", notes->text[1]);
        json_bool(j, "first", notes->is_first);
        json_close(j);
    }
}

static void json_event(json *j, const replay_diff *d)
{
    if (!d->has_other_event) {
        json_null(j, "events");
        return;
    }
    json_object(j, "events");
    json_nonempty(j, "a", d->event[0]);
    json_nonempty(j, "b", d->event[1]);
    json_close(j);
}

static void json_states(json *j, const replay_diff *d)
{
    const replay_diff_state *state = &d->state;
    json_bool(j, "stepped", state->is_stepped);
    json_nonempty(j, "not_stepped", state->why);
    if (open_at(j, "states", state->tick)) {
        json_hash(j, "a", state->a);
        json_hash(j, "b", state->b);
        json_object(j, "first");
        json_place(j, &state->value);
        json_close(j);
        json_int(j, "step_tick", state->step_tick);
        json_text(j, "mark", state->mark);
        json_nonempty(j, "note_a", state->note[0]);
        json_nonempty(j, "note_b", state->note[1]);
        json_close(j);
    }
}

static void json_first(json *j, const replay_diff *d)
{
    bks_tick tick = BKS_TICK_NONE;
    const char *mark = NULL;
    const replay_diff_value *value = first_value(d, &tick, &mark);
    const bool is_known = value != NULL && value->name[0] != '\0';
    json_text(j, "mark", value != NULL ? mark : NULL);
    json_text(j, "object", is_known ? value->object : NULL);
    json_text(j, "field", is_known ? value->field : NULL);
    json_text(j, "value_a", is_known ? value->a : NULL);
    json_text(j, "value_b", is_known ? value->b : NULL);
}

static bool print_json(const replay_diff *d)
{
    const bks_replay_comparison *found = &d->found;
    json out;
    json_begin(&out, stdout);
    json_text(&out, "a", d->files[0]->path);
    json_text(&out, "b", d->files[1]->path);
    json_bool(&out, "same", replay_diff_is_same(d));
    json_tick(&out, "tick", replay_diff_first(d));
    json_first(&out, d);
    json_int(&out, "from", found->first);
    json_int(&out, "until", found->until);
    json_files(&out, d);
    json_headers(&out, d);
    json_int(&out, "inputs_compared", found->inputs_compared);
    json_int(&out, "lost", found->lost);
    json_input(&out, "inputs", &found->input, d->input_field);
    json_int(&out, "guesses_compared", found->guesses_compared);
    json_input(&out, "guesses", &found->guess, d->guess_field);
    json_int(&out, "compared", found->hashes_compared);
    json_int(&out, "repaired", found->repaired);
    json_hashes(&out, d);
    json_rows(&out, d);
    json_marks(&out, d);
    json_event(&out, d);
    json_states(&out, d);
    return json_end(&out);
}

// ---- the command `bks replay diff` ----

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
        status = replay_diff_make(&a, &b, &d);
        status = status == TOOL_OK ? replay_diff_step(&a, &b, game_name, &d) : status;
        if (status == TOOL_OK) {
            status = replay_diff_is_same(&d) ? TOOL_OK : TOOL_NO;
            if (!is_json) {
                print_text(&d);
            } else if (!print_json(&d)) {
                status = TOOL_DAMAGED;
            }
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
        ARGS_RECORDED_GAME(&game_name),
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "replay diff",
        .usage = "[options] A B",
        .about =
            "Compare what two recordings both confirm: header, inputs, hashes, keyframes, joins "
            "and\n"
            "leaves, and what else both hold (--keep pages,values,marks). A tick that only one of\n"
            "them confirms is called a guess and does not count, nor does where and how long a\n"
            "match was recorded. If inputs or first states differ, step both and print the first\n"
            "tick, mark and note that differ, with object, field and both values. 'bks doctor'\n"
            "begins with the same comparison and goes on to prove the cause. Exit status 1 if "
            "they\n"
            "differ.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&files, 2, 2),
    };
    const int status = args_parse(&spec, argc, argv);
    return status == ARGS_GO ? diff_files(&files, game_name, is_json) : status;
}
