// SPDX-License-Identifier: MIT

#include "check/check_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/tool.h"
#include "check/check_text.h"

bool check_report_is_deterministic(const check_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->outcomes[i].result.same == CHECK_DIFFERS) {
            return false;
        }
    }
    return true;
}

// The variant whose class of fault a finding is: its own, or that of the one which explains it.
static const check_variant *blamed(const check_report *report, const check_outcome *outcome)
{
    for (uint32_t i = 0; !report->has_fixed_addresses && i < report->count; i++) {
        const check_outcome *other = &report->outcomes[i];
        if (other->result.same == CHECK_DIFFERS && strcmp(other->variant->name, "address") == 0) {
            return other->variant; // every process lies elsewhere
        }
    }
    const char *const *by = outcome->variant->explained_by;
    for (uint32_t i = 0; i < 2 * report->count; i++) {
        const check_outcome *other = &report->outcomes[i % report->count];
        const char *name = by[i / report->count];
        if (name != NULL && other->result.same == CHECK_DIFFERS &&
            strcmp(other->variant->name, name) == 0) {
            return other->variant;
        }
    }
    return outcome->variant;
}

// ---- text ----

static void print_lines(const char *label, const char *text)
{
    char lines[2048] = "";
    check_text_add(lines, sizeof(lines), label, text);
    (void)fputs(lines, stdout);
}

static void print_outcome(const check_outcome *outcome, bool has_colour)
{
    const check_result *r = &outcome->result;
    const char *end = has_colour ? "\033[0m" : "";
    printf("  %-10s", outcome->variant->name);
    if (r->same == CHECK_NOT_EXERCISED) {
        printf("not exercised: %s\n", r->why);
    } else if (r->same == CHECK_SAME) {
        printf("%ssame%s     %" PRIu64 " %s%s%s\n", has_colour ? "\033[32m" : "", end, r->perturbed,
               outcome->variant->counts, r->info[0] != '\0' ? "; " : "", r->info);
    } else {
        printf("%sDIFFERS%s  at tick %" PRId32 "\n", has_colour ? "\033[1;31m" : "", end,
               r->found.tick);
    }
}

// "shots[3].x", or what is known of it.
static void name_place(const check_finding *found, char *out, size_t capacity)
{
    const bool has_dot = found->field[0] != '\0' && found->field[0] != '[';
    (void)snprintf(out, capacity, "%s%s%s", found->object, has_dot ? "." : "", found->field);
}

// "sparks.c:27, in rand_step: random->sparks[3].y = rand();"
static void describe_line(const check_line *line, char *out, size_t capacity)
{
    (void)snprintf(out, capacity, "%s%s%s%s%s", line->line,
                   line->function[0] != '\0' ? ", in " : "", line->function,
                   line->text[0] != '\0' ? ": " : "", line->text);
}

static void print_line(const check_finding *found)
{
    const check_line *here = &found->written_b;
    const check_line *there = &found->written_a;
    char text[512];
    if (here->line[0] != '\0') {
        describe_line(here, text, sizeof(text));
    } else {
        (void)snprintf(text, sizeof(text), "not known: %s", here->why);
    }
    if (here->line[0] != '\0' || here->why[0] != '\0') {
        print_lines("line", text);
    }
    if (there->line[0] != '\0' && strcmp(there->line, here->line) != 0) {
        describe_line(there, text, sizeof(text));
        print_lines("baseline", text);
    }
}

static void print_difference(const check_outcome *outcome)
{
    const check_finding *found = &outcome->result.found;
    char text[512];
    printf("\n%s\n", outcome->variant->name);
    (void)snprintf(text, sizeof(text), "%" PRId32 ", at the mark %s", found->tick, found->mark);
    print_lines("tick", text);
    if (found->object[0] != '\0') {
        name_place(found, text, sizeof(text));
        print_lines("where", text);
    }
    print_lines("baseline", found->a);
    print_lines("here", found->b);
    print_line(found);
    if (found->note[0] != '\0') {
        print_lines("note", found->note);
    }
}

// The line that shows the finding again, with less to do.
static void print_repeat(const check_report *report, const check_outcome *outcome)
{
    const check_options *o = report->options;
    char text[1024];
    int used =
        snprintf(text, sizeof(text),
                 "bks check %s --variants %s%s%s --ticks %" PRId32 " --seed %" PRId64
                 " --input %s --players %" PRIu32,
                 o->positionals.items[0], outcome->variant->name, outcome->value != NULL ? "=" : "",
                 outcome->value != NULL ? outcome->value : "", outcome->result.found.tick + 1,
                 o->seed, o->input, report->players);
    for (uint32_t i = 0; i < o->given_options.count && used < (int)sizeof(text); i++) {
        used += snprintf(text + used, sizeof(text) - (size_t)used, " --option %s",
                         o->given_options.items[i]);
    }
    print_lines("repeat", text);
}

// Once is enough where several variants find the same class of fault.
static void print_advice(const check_report *report, uint32_t index)
{
    const check_variant *cause = blamed(report, &report->outcomes[index]);
    for (uint32_t i = 0; i < index; i++) {
        const check_outcome *before = &report->outcomes[i];
        if (before->result.same == CHECK_DIFFERS &&
            strcmp(blamed(report, before)->cause, cause->cause) == 0) {
            return;
        }
    }
    print_lines("cause", cause->cause);
    print_lines("next", cause->advice);
    print_repeat(report, &report->outcomes[index]);
}

static const char *ended_early(const check_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        const check_result *r = &report->outcomes[i].result;
        if (r->same == CHECK_SAME && r->why[0] != '\0') {
            return r->why;
        }
    }
    return NULL;
}

static void print_imports(const check_imports *imports)
{
    char names[1024] = "";
    bool has_time = false;
    for (uint32_t i = 0; i < imports->count; i++) {
        const size_t used = strlen(names);
        has_time = has_time || strcmp(imports->names[i], "time") == 0;
        (void)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                       imports->names[i]);
    }
    if (imports->why != NULL) {
        print_lines("imports", imports->why);
    } else if (imports->count > 0) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof(names) - used, "; no step should call %s%s",
                       imports->count == 1 ? "it" : "them",
                       has_time && imports->has_library
                           ? " (the library in the plug-in calls time, too, for its log)"
                           : "");
        print_lines("imports", names);
    }
}

void check_report_print(const check_report *report)
{
    const check_options *o = report->options;
    const bool has_colour = tool_has_colour(1);
    const bool is_good = check_report_is_deterministic(report);
    printf("%s: %s, %" PRId64 " ticks, %" PRIu32 " player%s, input %s, seed %" PRId64 "\n",
           report->game, is_good ? "deterministic" : "NOT deterministic", o->ticks, report->players,
           report->players == 1 ? "" : "s", o->input, o->seed);
    for (uint32_t i = 0; i < report->count; i++) {
        print_outcome(&report->outcomes[i], has_colour);
    }
    print_imports(&report->imports);
    if (!report->has_fixed_addresses) {
        print_lines("addresses", "this system lets no program fix them: all processes lie at their "
                                 "own, and any variant may meet what address is for");
    }
    if (ended_early(report) != NULL) {
        printf("  %s\n", ended_early(report));
    }
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->outcomes[i].result.same == CHECK_DIFFERS) {
            print_difference(&report->outcomes[i]);
            print_advice(report, i);
        }
    }
}

// ---- JSON ----

static void json_known(json *j, const char *key, const char *text)
{
    json_text(j, key, text[0] != '\0' ? text : NULL);
}

static void json_outcome(json *j, const check_report *report, const check_outcome *outcome)
{
    const check_result *r = &outcome->result;
    const check_finding *found = &r->found;
    json_object(j, NULL);
    json_text(j, "name", outcome->variant->name);
    if (r->same == CHECK_NOT_EXERCISED) {
        json_null(j, "same");
    } else {
        json_bool(j, "same", r->same == CHECK_SAME);
    }
    json_uint(j, "perturbed", r->perturbed);
    json_known(j, "why", r->why);
    json_known(j, "info", r->info);
    if (r->same == CHECK_DIFFERS) {
        json_int(j, "tick", found->tick);
        json_known(j, "mark", found->mark);
        json_known(j, "object", found->object);
        json_known(j, "field", found->field);
        json_known(j, "a", found->a);
        json_known(j, "b", found->b);
        json_known(j, "note", found->note);
        json_known(j, "line", found->written_b.line);
        json_known(j, "function", found->written_b.function);
        json_known(j, "line_why", found->written_b.why);
        json_known(j, "baseline_line", found->written_a.line);
        json_known(j, "baseline_function", found->written_a.function);
        json_text(j, "cause", blamed(report, outcome)->cause);
    } else {
        static const char *const keys[] = {
            "tick",     "mark",     "object",        "field",
            "a",        "b",        "note",          "line",
            "function", "line_why", "baseline_line", "baseline_function",
            "cause"};
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
            json_null(j, keys[i]);
        }
    }
    json_close(j);
}

static void json_imports(json *out, const check_imports *imports)
{
    if (imports->why != NULL) {
        json_null(out, "imports");
        json_null(out, "library_imports");
        return;
    }
    json_row(out, "imports");
    for (uint32_t i = 0; i < imports->count; i++) {
        json_text(out, NULL, imports->names[i]);
    }
    json_close(out);
    json_row(out, "library_imports");
    for (uint32_t i = 0; i < imports->count; i++) {
        if (imports->has_library && strcmp(imports->names[i], "time") == 0) {
            json_text(out, NULL, "time");
        }
    }
    json_close(out);
}

bool check_report_json(const check_report *report)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "game", report->game);
    json_int(&out, "ticks", report->options->ticks);
    json_int(&out, "seed", report->options->seed);
    json_uint(&out, "players", report->players);
    json_bool(&out, "deterministic", check_report_is_deterministic(report));
    json_array(&out, "variants");
    for (uint32_t i = 0; i < report->count; i++) {
        json_outcome(&out, report, &report->outcomes[i]);
    }
    json_close(&out);
    json_bool(&out, "fixed_addresses", report->has_fixed_addresses);
    json_imports(&out, &report->imports);
    return json_end(&out);
}
