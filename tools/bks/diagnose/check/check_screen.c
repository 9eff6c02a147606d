// SPDX-License-Identifier: MIT

#include "diagnose/check/check_screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "diagnose/check/check_report.h"
#include "diagnose/check/check_text.h"

enum { VERDICT_INDENT = CHECK_TEXT_INDENT + 9 };

static const char *colour(const char *code)
{
    return tool_has_colour(1) ? code : "";
}

static void print_text(const char *label, const char *text)
{
    if (text[0] != '\0') {
        check_text_write(stdout, tool_columns(), label, text);
    }
}

// ---- a fault ----

// Whether a step ended in another way, instead of that it wrote something else.
static bool is_event(const check_fault *fault)
{
    return fault->name[0] == '\0' && fault->b[0] != '\0' &&
           (fault->a[0] == '\0' || strcmp(fault->a, "runs on") == 0);
}

static void print_heading(const check_fault *fault)
{
    char text[640];
    const bool is_of_step = is_event(fault);
    (void)snprintf(text, sizeof(text), "%s: %s%s%s at tick %" PRId32 ", mark %s", fault->cause,
                   is_of_step ? "the step" : fault->name,
                   is_of_step || fault->name[0] != '\0' ? " " : "",
                   is_of_step ? fault->b : "differs", fault->tick, fault->mark);
    printf("\n%s", colour("\033[1m"));
    check_text_wrap(stdout, tool_columns(), 0, 2, text);
    printf("%s", colour("\033[0m"));
}

// "sparks.c:27, in rand_step: random->sparks[3].y = rand();", or why no line is known.
static void print_line(const char *whose, const code_line *line)
{
    char text[512] = "";
    if (line->line[0] != '\0') {
        (void)snprintf(text, sizeof(text), "%s%s%s%s%s%s", whose, line->line,
                       line->function[0] != '\0' ? ", in " : "", line->function,
                       line->text[0] != '\0' ? ": " : "", line->text);
    } else if (line->why[0] != '\0') {
        (void)snprintf(text, sizeof(text), "not known: %s", line->why);
    }
    print_text("line", text);
}

// "again, resim, import (tick 305)": with the tick of each that found it at another one.
static void print_finders(const check_fault *fault)
{
    char text[CHECK_VARIANTS_MAX * 48];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s", fault->by);
    for (uint32_t i = 0; i < fault->other_count && used < sizeof(text); i++) {
        const check_finder *other = &fault->others[i];
        char tick[32] = "";
        if (other->tick != fault->tick) {
            (void)snprintf(tick, sizeof(tick), " (tick %" PRId32 ")", other->tick);
        }
        used += (size_t)snprintf(text + used, sizeof(text) - used, ", %s%s", other->name, tick);
    }
    print_text("found by", text);
}

void check_screen_fault(const check_fault *fault, const check_words *repeat)
{
    print_heading(fault);
    if (!is_event(fault)) {
        print_text("baseline", fault->a);
        print_text(strcmp(fault->by, "baseline") == 0 ? "second" : fault->by, fault->b);
    }
    print_line("", &fault->written);
    print_line("of the baseline: ", &fault->baseline_written);
    print_text("note", fault->note);
    print_finders(fault);
    print_text("next", fault->next != NULL ? fault->next : "");
    if (repeat != NULL) {
        check_text_command(stdout, tool_columns(), "repeat", repeat->items, repeat->count);
    }
}

static void print_faults(const check_report *report)
{
    static check_fault fault;
    static check_words repeat;
    for (uint32_t at = 0; check_fault_next(report, &at, &fault);) {
        check_fault_words(report, &fault, &repeat);
        check_screen_fault(&fault, &repeat);
    }
}

// ---- the variants ----

static void print_outcome(const check_outcome *outcome)
{
    const check_result *r = &outcome->result;
    const int columns = tool_columns();
    const char *end = colour("\033[0m");
    char text[640];
    printf("  %-*s ", CHECK_TEXT_INDENT - 3, check_outcome_name(outcome));
    if (r->same == CHECK_NOT_EXERCISED) {
        (void)snprintf(text, sizeof(text), "not exercised: %s", r->why);
        check_text_wrap(stdout, columns, CHECK_TEXT_INDENT, CHECK_TEXT_INDENT, text);
    } else if (r->same == CHECK_SAME) {
        (void)snprintf(text, sizeof(text), "%" PRIu64 " %s%s %s%s%s", r->perturbed,
                       outcome->variant->unit, TOOL_PLURAL(r->perturbed),
                       outcome->variant->perturbed, r->info[0] != '\0' ? "; " : "", r->info);
        printf("%ssame%s     ", colour("\033[32m"), end);
        check_text_wrap(stdout, columns, VERDICT_INDENT, VERDICT_INDENT, text);
    } else {
        printf("%s%s%s  at tick %" PRId32 "\n", colour("\033[1;31m"),
               !r->found.is_of_baseline ? "DIFFERS"
               : r->found.has_crashed   ? "CRASHES"
                                        : "HANGS  ",
               end, r->found.tick);
    }
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

// @return where the names end
static size_t list_imports(const check_imports *imports, bool is_of_library, char *out,
                           size_t capacity)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < imports->count && used < capacity; i++) {
        if (imports->is_of_library[i] == is_of_library) {
            used += (size_t)snprintf(out + used, capacity - used, "%s%s", used > 0 ? ", " : "",
                                     imports->names[i]);
        }
    }
    return used < capacity ? used : capacity - 1;
}

static bool has_import(const check_imports *imports, const char *name)
{
    for (uint32_t i = 0; i < imports->count; i++) {
        if (strncmp(imports->names[i], name, strlen(name)) == 0) {
            return true;
        }
    }
    return false;
}

static void print_imports(const check_imports *imports)
{
    char text[4096];
    size_t used = list_imports(imports, false, text, sizeof(text));
    if (used > 0) {
        (void)snprintf(text + used, sizeof(text) - used, "; no step should call %s%s",
                       strchr(text, ',') == NULL ? "it" : "them",
                       has_import(imports, "qsort")
                           ? ". qsort leaves equal keys in any order, bks_sort() does not"
                           : "");
    }
    print_text("imports", imports->why != NULL ? imports->why : text);
    used = list_imports(imports, true, text, sizeof(text));
    if (used > 0) {
        (void)snprintf(text + used, sizeof(text) - used,
                       "; the library in the plug-in calls %s, the game perhaps, too",
                       strchr(text, ',') == NULL ? "it" : "them");
    }
    print_text("imports", text);
}

static void print_variants(const check_report *report)
{
    printf("\n");
    for (uint32_t i = 0; i < report->count; i++) {
        print_outcome(&report->outcomes[i]);
    }
    char names[512] = "";
    for (uint32_t i = 0; i < report->left_count; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                       report->left[i]);
    }
    print_text("not run", names);
    print_imports(&report->imports);
    if (report->no_types[0] != '\0') {
        char text[400];
        (void)snprintf(text, sizeof(text), "none are known: the game %s", report->no_types);
        print_text("types", text);
    }
    if (!report->has_fixed_addresses) {
        print_text("addresses", "this system lets no program fix them: all processes lie at their "
                                "own, and any variant may meet what address is for");
    }
    print_text("ended", ended_early(report) != NULL ? ended_early(report) : "");
}

// ---- all of it ----

// What the baseline does, so that nothing can be compared.
static const char *of_baseline(const check_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        const check_finding *found = &report->outcomes[i].result.found;
        if (found->is_of_baseline) {
            return found->has_crashed ? "cannot be checked, it crashes"
                                      : "cannot be checked, it hangs";
        }
    }
    return NULL;
}

static void print_verdict(const check_report *report)
{
    const check_options *o = report->options;
    char text[1024];
    const char *verdict = "nothing was exercised";
    const char *code = "\033[1m";
    if (!check_report_is_deterministic(report)) {
        verdict = of_baseline(report) != NULL ? of_baseline(report) : "NOT deterministic";
        code = "\033[1;31m";
    } else if (report->is_stopped) {
        verdict = "stopped, nothing has differed";
    } else if (check_report_is_exercised(report)) {
        verdict = "deterministic";
        code = "\033[1;32m";
    }
    (void)snprintf(text, sizeof(text),
                   "%s: %s, %" PRId64 " tick%s, %" PRIu32 " player%s, input %s, seed %" PRId64,
                   report->game, verdict, o->ticks, TOOL_PLURAL(o->ticks), report->players,
                   TOOL_PLURAL(report->players), o->input, o->seed);
    printf("%s", colour(code));
    check_text_wrap(stdout, tool_columns(), 0, 2, text);
    printf("%s", colour("\033[0m"));
}

// What to know of the game before its faults.
static void print_game(const check_report *report)
{
    const check_log *log = &report->log;
    char text[CHECK_LOG_BYTES + 64];
    if (check_report_has_pointers(report)) {
        print_text("pointers", "the state holds raw pointers, which no other process can take up: "
                               "use bks_ref, or set `pointers` and `hash` in the bks_game");
    }
    for (uint32_t i = 0; i < CHECK_LOG_LINES && i < log->count; i++) {
        print_text(i == 0 ? "log" : "", log->lines[i]);
    }
    if (log->count > CHECK_LOG_LINES) {
        (void)snprintf(text, sizeof(text), "and %" PRIu32 " more line%s",
                       log->count - CHECK_LOG_LINES, TOOL_PLURAL(log->count - CHECK_LOG_LINES));
        print_text("", text);
    }
    if (report->has_hash) {
        print_text("compared", "by the game's own hash: what it leaves out is not compared");
    }
}

void check_screen_print(const check_report *report)
{
    print_verdict(report);
    print_game(report);
    print_faults(report);
    print_variants(report);
}
