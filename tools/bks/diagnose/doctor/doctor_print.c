// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/tool.h"
#include "diagnose/check/check_text.h"

enum { COMMAND_BYTES = 8192, LINES_MAX = 9 };

static void add(check_arguments *words, const char *word)
{
    words->items[words->count++] = word;
}

/// Collect the words of the command that leads to the same verdict again.
static const check_arguments *find_words(const doctor_case *c)
{
    static check_arguments words;
    const bool is_short = c->shortened_first != BKS_TICK_NONE;
    words.count = 0;
    add(&words, "bks");
    add(&words, "doctor");
    add(&words, doctor_game_name(c));
    add(&words, is_short ? c->shortened[0] : c->sides[0].file.path);
    if (c->has_two) {
        add(&words, is_short ? c->shortened[1] : c->sides[1].file.path);
    }
    if (c->build != NULL) {
        add(&words, "--build");
        add(&words, c->build);
    }
    for (uint32_t i = 0; c->answers != NULL && i < c->answers->count && !is_short; i++) {
        add(&words, "--answer");
        add(&words, c->answers->items[i]);
    }
    return &words;
}

void doctor_print_command(const doctor_case *c, char *out, size_t capacity)
{
    check_arguments_join(find_words(c), out, capacity);
}

void doctor_print_sides(const doctor_case *c, char out[DOCTOR_SIDES_BYTES])
{
    out[0] = '\0';
    if (!c->has_two) {
        const bool is_peer = c->sides[1].event_tick != BKS_TICK_NONE;
        (void)snprintf(out, DOCTOR_SIDES_BYTES, "A is the recording, B %s%s", c->sides[1].name,
                       is_peer ? ": the peer whose hash it holds" : "");
    }
}

static void print_same(const doctor_case *c)
{
    const bks_replay_comparison *found = &c->diff.found;
    const bks_recording *a = c->sides[0].file.info;
    const bks_recording *b = c->sides[1].file.info;
    const char *where = c->has_two && found->repaired > 0 ? "outside what was repaired" : "";
    printf("%s: the same", a->game);
    if (c->has_two && (a->first != b->first || a->confirmed != b->confirmed)) {
        printf(" from tick %" PRId32 " to %" PRId32 ", as far as both confirm%s", found->first,
               found->until, where[0] != '\0' ? "," : "");
    }
    printf("%s%s\n", where[0] != '\0' ? " " : "", where);
}

// Return a noun for what differs at the tick of the verdict, if no value is known.
static const char *nameless(const doctor_case *c)
{
    const bks_tick tick = c->verdict.tick;
    return c->hash_tick != BKS_TICK_NONE      ? "the state"
           : tick == c->diff.found.input.tick ? "an input"
           : tick == c->diff.notes.tick       ? "a note"
                                              : "the state";
}

static void print_heading(const doctor_case *c)
{
    const doctor_verdict *v = &c->verdict;
    const char *name = v->value.place.name;
    if (c->has_two && replay_diff_is_undecided(&c->diff) && v->tick == BKS_TICK_NONE) {
        printf("%s: nothing differs, but too little is in both to call them the same\n",
               c->sides[0].file.info->game);
        return;
    }
    printf("%s: %s", c->sides[0].file.info->game, v->cause == NULL ? "different" : v->cause);
    if (v->cause != NULL) {
        printf(v->is_proven ? ", proven" : ", not proven");
    }
    if (v->tick != BKS_TICK_NONE) {
        const bool has_note = v->value.note[0] != '\0';
        printf(": %s%s%s%sdiffers at tick %" PRId32, name[0] != '\0' ? name : nameless(c),
               has_note ? " (" : " ", v->value.note, has_note ? ") " : "", v->tick);
    }
    if (strcmp(v->mark, CHECK_MARK_BETWEEN) == 0) {
        printf(", between steps%s%s\n", v->function[0] != '\0' ? ", by " : "", v->function);
        return;
    }
    printf("%s%s\n", v->mark[0] != '\0' ? ", mark " : "", v->mark);
}

void doctor_print_line(const doctor_verdict *v, char out[DOCTOR_LINE_BYTES])
{
    out[0] = '\0';
    if (v->line[0] != '\0') {
        (void)snprintf(out, DOCTOR_LINE_BYTES, "%s%s%s%s%s", v->line,
                       v->function[0] != '\0' ? ", in " : "", v->function,
                       v->source[0] != '\0' ? ": " : "", v->source);
    } else if (v->line_why[0] != '\0') {
        (void)snprintf(out, DOCTOR_LINE_BYTES, "not known: %s", v->line_why);
    }
}

static void print_line(const doctor_verdict *v, int columns)
{
    char text[DOCTOR_LINE_BYTES];
    doctor_print_line(v, text);
    if (text[0] != '\0') {
        check_text_write(stdout, columns, "line", text);
    }
}

static void print_values(const doctor_case *c, int columns)
{
    const doctor_verdict *v = &c->verdict;
    char sides[DOCTOR_SIDES_BYTES];
    if (v->value.a[0] != '\0' || v->value.b[0] != '\0') {
        check_text_write(stdout, columns, "A", v->value.a);
        check_text_write(stdout, columns, "B", v->value.b);
    }
    if (v->value.others[0] != '\0') {
        check_text_write(stdout, columns, "also", v->value.others);
    }
    doctor_print_sides(c, sides);
    if (sides[0] != '\0') {
        check_text_write(stdout, columns, "sides", sides);
    }
}

// Print the results of --shorten apart from the other evidence, of which only the first lines are
// printed.
static void print_answers(const doctor_case *c, int columns)
{
    for (uint32_t i = 0; i < c->evidence_count; i++) {
        if (c->evidence[i].is_of_shortening) {
            check_text_write(stdout, columns, "shorten", c->evidence[i].text);
        }
    }
}

static void print_evidence(const doctor_case *c, int columns)
{
    uint32_t shown = 0;
    uint32_t left = 0;
    printf("\n");
    for (uint32_t i = 0; i < c->evidence_count; i++) {
        const doctor_evidence *e = &c->evidence[i];
        if (e->is_of_shortening) {
            continue;
        }
        if (!c->is_diff && !e->is_proof && (e->is_detail || shown >= LINES_MAX)) {
            left++;
            continue;
        }
        check_text_write(stdout, columns, shown++ == 0 ? "evidence" : "", e->text);
    }
    if (left > 0) {
        char text[64];
        (void)snprintf(text, sizeof(text), "and %" PRIu32 " more: --json has all", left);
        check_text_write(stdout, columns, "", text);
    }
}

// Print the command that repeats the examination, if it is not the command that was typed.
static void print_repeat(const doctor_case *c, int columns)
{
    if (c->shortened_first != BKS_TICK_NONE) {
        const check_arguments *words = find_words(c);
        check_text_command(stdout, columns, "repeat", words->items, words->count);
    }
}

// Print the command that builds and runs the C test. Print it on one line, so that it can be
// copied.
static void print_test(const doctor_case *c)
{
    char command[DOCTOR_C_TEST_COMMAND_BYTES];
    doctor_c_test_command(c, command);
    if (command[0] != '\0') {
        printf("  %-*s%s\n", CHECK_TEXT_INDENT - 2, "test", command);
    }
}

static void print_text(const doctor_case *c)
{
    const doctor_verdict *v = &c->verdict;
    const int columns = tool_columns();
    if (v->is_same) {
        print_same(c);
    } else {
        print_heading(c);
        print_values(c, columns);
        print_line(v, columns);
        if (v->suspects[0] != '\0') {
            check_text_write(stdout, columns, "suspects", v->suspects);
        }
        if (v->next != NULL) {
            check_text_write(stdout, columns, "next", v->next);
        }
        print_repeat(c, columns);
        print_test(c);
    }
    print_answers(c, columns);
    print_evidence(c, columns);
}

// Open a JSON object for a tick, or write null if there is no such tick.
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

static void json_voters(json *j, const char *key, const doctor_vote *vote, int side)
{
    json_row(j, key);
    for (uint32_t i = 0; i < vote->count; i++) {
        if (vote->votes[i] == side) {
            json_text(j, NULL, vote->paths[i]);
        }
    }
    json_close(j);
}

static void json_vote(json *j, const doctor_vote *vote)
{
    if (vote->count == 0) {
        return;
    }
    json_object(j, "vote");
    json_tick(j, "tick", vote->tick);
    json_bool(j, "majority", vote->has_majority);
    json_voters(j, "agree", vote, 1);
    json_voters(j, "differ", vote, -1);
    json_voters(j, "not_hashed", vote, 0);
    json_close(j);
}

// Write the first input and the first note that differ between two recordings.
static void json_files(json *j, const replay_diff *d)
{
    const bks_input_difference *input = &d->found.input;
    json_int(j, "from", d->found.first);
    json_int(j, "until", d->found.until);
    if (open_at(j, "inputs", input->tick)) {
        json_uint(j, "player", input->player);
        json_text(j, "field", d->input_field);
        json_int(j, "a", input->a);
        json_int(j, "b", input->b);
        if (d->input_command.text[0][0] != '\0') {
            json_object(j, "command");
            json_uint(j, "number", d->input_command.number);
            json_uint(j, "byte", d->input_command.byte);
            json_text(j, "a", d->input_command.text[0]);
            json_text(j, "b", d->input_command.text[1]);
            json_close(j);
        }
        json_close(j);
    }
    if (open_at(j, "notes", d->notes.tick)) {
        json_nonempty(j, "mark", d->notes.mark);
        json_nonempty(j, "a", d->notes.text[0]);
        json_nonempty(j, "b", d->notes.text[1]);
        json_bool(j, "first", d->notes.is_first);
        json_close(j);
    }
}

static bool print_json(const doctor_case *c)
{
    const doctor_verdict *v = &c->verdict;
    char command[COMMAND_BYTES];
    json out;
    json_begin(&out, stdout);
    json_text(&out, "game", c->sides[0].file.info->game);
    json_bool(&out, "same", v->is_same);
    json_tick(&out, "tick", v->tick);
    json_tick(&out, "hash_tick", c->hash_tick);
    json_nonempty(&out, "mark", v->mark);
    json_nonempty(&out, "object", v->value.place.object);
    json_nonempty(&out, "field", v->value.place.field);
    json_nonempty(&out, "note", v->value.note);
    json_nonempty(&out, "a", v->value.a);
    json_nonempty(&out, "b", v->value.b);
    json_nonempty(&out, "also", v->value.others);
    json_nonempty(&out, "line", v->line);
    json_nonempty(&out, "function", v->function);
    json_nonempty(&out, "source", v->source);
    json_nonempty(&out, "line_why", v->line_why);
    json_text(&out, "cause", v->cause);
    json_bool(&out, "proven", v->is_proven);
    json_nonempty(&out, "suspects", v->suspects);
    if (c->has_two) {
        json_files(&out, &c->diff);
    }
    json_vote(&out, &c->vote);
    json_array(&out, "evidence");
    for (uint32_t i = 0; i < c->evidence_count; i++) {
        json_text(&out, NULL, c->evidence[i].text);
    }
    json_close(&out);
    json_text(&out, "next", v->next);
    doctor_print_command(c, command, sizeof(command));
    json_text(&out, "repeat", v->is_same ? NULL : command);
    json_tick(&out, "shortened_first", c->shortened_first);
    doctor_c_test_command(c, command);
    json_nonempty(&out, "test", command);
    return json_end(&out);
}

bool doctor_print(const doctor_case *c, bool is_json)
{
    if (!is_json) {
        print_text(c);
    }
    return !is_json || print_json(c);
}
