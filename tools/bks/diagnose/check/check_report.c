// SPDX-License-Identifier: MIT

#include "diagnose/check/check_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/check/check_text.h"

// Return the strongest result of all variants: CHECK_DIFFERS if any variant differs,
// CHECK_NOT_EXERCISED only if no variant perturbed anything.
static check_same strongest(const check_report *report)
{
    check_same most = CHECK_NOT_EXERCISED;
    for (uint32_t i = 0; i < report->count; i++) {
        const check_same same = report->outcomes[i].result.same;
        most = same > most ? same : most;
    }
    return most;
}

bool check_report_is_deterministic(const check_report *report)
{
    return strongest(report) != CHECK_DIFFERS;
}

// Return true if the state holds raw pointers that the game does not declare.
static bool has_pointers(const check_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->outcomes[i].result.has_pointers) {
            return true;
        }
    }
    return false;
}

// ---- report as JSON ----

static void json_log(json *out, const check_log *log)
{
    json_uint(out, "log_lines", log->count);
    json_row(out, "log");
    for (uint32_t i = 0; i < CHECK_LOG_LINES && i < log->count; i++) {
        json_text(out, NULL, log->lines[i]);
    }
    json_close(out);
}

static void json_outcome(json *j, const check_report *report, const check_outcome *outcome)
{
    const check_result *r = &outcome->result;
    const check_finding *found = &r->found;
    const check_named named = check_finding_named(found);
    const bool is_other = r->same == CHECK_DIFFERS;
    json_object(j, NULL);
    json_text(j, "name", check_outcome_name(outcome));
    if (r->same == CHECK_NOT_EXERCISED) {
        json_null(j, "same");
    } else {
        json_bool(j, "same", r->same == CHECK_SAME);
    }
    json_uint(j, "perturbed", r->perturbed);
    json_nonempty(j, "why", r->why);
    json_nonempty(j, "info", r->info);
    json_tick(j, "tick", is_other ? found->tick : BKS_TICK_NONE);
    json_nonempty(j, "mark", found->mark);
    json_nonempty(j, "object", named.object);
    json_nonempty(j, "field", named.field);
    json_nonempty(j, "a", named.a);
    json_nonempty(j, "b", named.b);
    json_nonempty(j, "note", found->note);
    json_nonempty(j, "line", named.written_b->line);
    json_nonempty(j, "function", named.written_b->function);
    json_nonempty(j, "line_why", named.written_b->why);
    json_nonempty(j, "baseline_line", named.written_a->line);
    json_nonempty(j, "baseline_function", named.written_a->function);
    json_text(j, "cause", is_other ? check_fault_cause(report, outcome) : NULL);
    json_close(j);
}

// Write the other variants that found a fault, each with its tick.
static void json_finders(json *out, const check_fault *fault)
{
    json_array(out, "also_found_by");
    for (uint32_t i = 0; i < fault->other_count; i++) {
        json_object(out, NULL);
        json_text(out, "variant", fault->others[i].name);
        json_int(out, "tick", fault->others[i].tick);
        json_close(out);
    }
    json_close(out);
}

// Write each fault once, with the command that shows the fault again.
static void json_faults(json *out, const check_report *report)
{
    static check_fault fault;
    static check_arguments repeat;
    static char line[16384];
    json_array(out, "faults");
    for (uint32_t at = 0; check_fault_next(report, &at, &fault);) {
        check_fault_arguments(report, &fault, &repeat);
        check_arguments_join(&repeat, line, sizeof(line));
        json_object(out, NULL);
        for (uint32_t i = 0; i < FAULT_TEXTS; i++) {
            json_nonempty(out, check_fault_keys[i], fault.texts[i]);
            if (i == FAULT_BY) {
                json_finders(out, &fault);
                json_int(out, "tick", fault.tick);
            }
        }
        json_text(out, "repeat", line);
        json_close(out);
    }
    json_close(out);
}

/// Whose calls an import serves.
typedef enum import_kind {
    IMPORT_CALLED = 0,   ///< the game's, perhaps those of its steps
    IMPORT_UNCALLED = 1, ///< the game's, not called by the steps that were traced
    IMPORT_LIBRARY = 2,  ///< those of Backstitch in the plug-in
    IMPORT_KINDS
} import_kind;

static import_kind import_kind_of(const check_imports *imports, uint32_t i)
{
    return imports->is_of_library[i] ? IMPORT_LIBRARY
           : imports->is_uncalled[i] ? IMPORT_UNCALLED
                                     : IMPORT_CALLED;
}

static void json_imported(json *out, const char *key, const check_imports *imports,
                          import_kind kind)
{
    json_row(out, key);
    for (uint32_t i = 0; i < imports->count; i++) {
        if (import_kind_of(imports, i) == kind) {
            json_text(out, NULL, imports->names[i]);
        }
    }
    json_close(out);
}

static void json_calls(json *out, const check_imports *imports)
{
    json_array(out, "calls");
    for (uint32_t i = 0; i < imports->call_count; i++) {
        const check_call *call = &imports->called[i];
        json_object(out, NULL);
        json_text(out, "import", call->function);
        json_nonempty(out, "line", call->at.line);
        json_nonempty(out, "function", call->at.function);
        json_nonempty(out, "source", call->at.text);
        json_close(out);
    }
    json_close(out);
}

static void json_imports(json *out, const check_imports *imports)
{
    if (imports->why != NULL) {
        json_null(out, "imports");
        json_null(out, "uncalled_imports");
        json_null(out, "library_imports");
        return;
    }
    json_imported(out, "imports", imports, IMPORT_CALLED);
    json_imported(out, "uncalled_imports", imports, IMPORT_UNCALLED);
    json_imported(out, "library_imports", imports, IMPORT_LIBRARY);
}

static void json_race(json *out, const check_report *report)
{
    const check_race *race = &report->race;
    if (race->plain == 0) {
        return;
    }
    json_object(out, "own_threads");
    json_uint(out, "plain_runs", race->plain);
    json_uint(out, "plain_differ", race->plain_differ);
    json_bool(out, "held_up", race->is_held_up);
    json_uint(out, "serial_runs", race->serial);
    json_uint(out, "serial_differ", race->serial_differ);
    json_bool(out, "race_proven", race->is_proven);
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
    const check_same most = strongest(report);
    if (most == CHECK_NOT_EXERCISED || (most == CHECK_SAME && report->is_stopped)) {
        json_null(&out, "deterministic");
    } else {
        json_bool(&out, "deterministic", most == CHECK_SAME);
    }
    json_bool(&out, "stopped", report->is_stopped);
    json_array(&out, "variants");
    for (uint32_t i = 0; i < report->count; i++) {
        json_outcome(&out, report, &report->outcomes[i]);
    }
    json_close(&out);
    json_row(&out, "not_run");
    for (uint32_t i = report->count; i < report->chosen; i++) {
        json_text(&out, NULL, report->outcomes[i].variant->name);
    }
    json_close(&out);
    json_faults(&out, report);
    json_race(&out, report);
    json_bool(&out, "fixed_addresses", report->has_fixed_addresses);
    json_imports(&out, &report->imports);
    json_calls(&out, &report->imports);
    json_nonempty(&out, "no_types", report->no_types);
    json_text(&out, "compared_by", report->has_hash ? "hash" : "bytes");
    json_bool(&out, "raw_pointers", has_pointers(report));
    json_log(&out, &report->log);
    return json_end(&out);
}

// ---- report as text ----

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

// ---- text of one fault ----

// Return true if the fault is a step that ended differently, and not a value that differs.
static bool is_event(const check_fault *fault)
{
    const char *a = fault->texts[FAULT_A];
    return fault->texts[FAULT_NAME][0] == '\0' && fault->texts[FAULT_B][0] != '\0' &&
           (a[0] == '\0' || strcmp(a, "runs on") == 0);
}

static void print_wrapped_heading(const char *text)
{
    printf("\n%s", colour("\033[1m"));
    check_text_wrap(stdout, tool_columns(), 0, 2, text);
    printf("%s", colour("\033[0m"));
}

static void print_heading(const check_fault *fault)
{
    char text[640];
    if (fault->is_at_start) {
        TEXT_SET(text, "%s: the game %s before the first tick", fault->texts[FAULT_CAUSE],
                 fault->texts[FAULT_B]);
        print_wrapped_heading(text);
        return;
    }
    const char *name = fault->texts[FAULT_NAME];
    const bool is_of_step = is_event(fault);
    const char *mark = fault->texts[FAULT_MARK];
    const bool is_between = strcmp(mark, CHECK_MARK_BETWEEN) == 0;
    TEXT_SET(text, "%s: %s%s%s at tick %" PRId32 ", %s%s", fault->texts[FAULT_CAUSE],
             is_of_step ? "the step" : name, is_of_step || name[0] != '\0' ? " " : "",
             is_of_step ? fault->texts[FAULT_B] : "differs", fault->tick,
             is_between ? "between steps" : "mark ", is_between ? "" : mark);
    print_wrapped_heading(text);
}

// Print a source line as "sparks.c:27, in rand_step: random->sparks[3].y = rand();".
// @param texts  line, function and source
static void print_line(const char *whose, const char *const *texts)
{
    char text[512];
    TEXT_SET(text, "%s%s%s%s%s%s", whose, texts[0], texts[1][0] != '\0' ? ", in " : "", texts[1],
             texts[2][0] != '\0' ? ": " : "", texts[2]);
    print_text("line", texts[0][0] != '\0' ? text : "");
}

// Print the variants that found a fault, as "again, resim, import (tick 305)". The tick at which a
// variant found the fault follows its name only if it differs from the tick of the fault.
static void print_finders(const check_fault *fault)
{
    char text[CHECK_VARIANTS_MAX * 48];
    TEXT_SET(text, "%s", fault->texts[FAULT_BY]);
    for (uint32_t i = 0; i < fault->other_count; i++) {
        const check_finder *other = &fault->others[i];
        TEXT_ADD(text, ", %s", other->name);
        if (other->tick != fault->tick) {
            TEXT_ADD(text, " (tick %" PRId32 ")", other->tick);
        }
    }
    print_text("found by", text);
}

void check_report_fault(const check_fault *fault, const check_arguments *repeat)
{
    const char *const *texts = fault->texts;
    char why[256];
    print_heading(fault);
    if (!is_event(fault)) {
        print_text("baseline", texts[FAULT_A]);
        print_text(strcmp(texts[FAULT_BY], "baseline") == 0 ? "second" : texts[FAULT_BY],
                   texts[FAULT_B]);
    }
    TEXT_SET(why, "not known: %s", texts[FAULT_LINE_WHY]);
    print_text("line", texts[FAULT_LINE_WHY][0] != '\0' ? why : "");
    print_line("", &texts[FAULT_LINE]);
    print_line("of the baseline: ", &texts[FAULT_BASELINE_LINE]);
    print_text("note", texts[FAULT_NOTE]);
    print_finders(fault);
    print_text("next", texts[FAULT_NEXT]);
    if (repeat != NULL) {
        check_text_command(stdout, tool_columns(), "repeat", repeat->items, repeat->count);
    }
}

static void print_faults(const check_report *report)
{
    static check_fault fault;
    static check_arguments repeat;
    for (uint32_t at = 0; check_fault_next(report, &at, &fault);) {
        check_fault_arguments(report, &fault, &repeat);
        check_report_fault(&fault, &repeat);
    }
}

// ---- text of the variants' results ----

static void print_outcome(const check_outcome *outcome)
{
    const check_result *r = &outcome->result;
    const int columns = tool_columns();
    const char *end = colour("\033[0m");
    char text[640];
    printf("  %-*s ", CHECK_TEXT_INDENT - 3, check_outcome_name(outcome));
    if (r->same == CHECK_NOT_EXERCISED) {
        TEXT_SET(text, "not exercised: %s", r->why);
        check_text_wrap(stdout, columns, CHECK_TEXT_INDENT, CHECK_TEXT_INDENT, text);
    } else if (r->same == CHECK_SAME) {
        TEXT_SET(text, "%" PRIu64 " %s%s %s%s%s", r->perturbed, outcome->variant->unit,
                 TOOL_PLURAL(r->perturbed), outcome->variant->perturbed,
                 r->info[0] != '\0' ? "; " : "", r->info);
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

static void print_imports(const check_imports *imports)
{
    static char texts[IMPORT_KINDS][4096];
    bool has_qsort = false;
    memset(texts, 0, sizeof(texts));
    for (uint32_t i = 0; i < imports->count; i++) {
        const import_kind kind = import_kind_of(imports, i);
        TEXT_ADD(texts[kind], "%s%s", texts[kind][0] != '\0' ? ", " : "", imports->names[i]);
        has_qsort |= kind == IMPORT_CALLED && strncmp(imports->names[i], "qsort", 5) == 0;
    }
    const char *game = texts[IMPORT_CALLED];
    const char *library = texts[IMPORT_LIBRARY];
    if (game[0] != '\0') {
        TEXT_ADD(texts[IMPORT_CALLED], "; no step should call %s%s",
                 strchr(game, ',') == NULL ? "it" : "them",
                 has_qsort ? ". qsort leaves equal keys in any order, bks_sort() does not" : "");
    }
    if (texts[IMPORT_UNCALLED][0] != '\0') {
        TEXT_ADD(texts[IMPORT_UNCALLED], "; no step called %s in %" PRId32 " tick%s",
                 strchr(texts[IMPORT_UNCALLED], ',') == NULL ? "it" : "them", imports->traced_ticks,
                 TOOL_PLURAL(imports->traced_ticks));
    }
    if (library[0] != '\0') {
        TEXT_ADD(texts[IMPORT_LIBRARY],
                 "; the library in the plug-in calls %s, the game perhaps, too",
                 strchr(library, ',') == NULL ? "it" : "them");
    }
    print_text("imports", imports->why != NULL ? imports->why : game);
    print_text("imports", texts[IMPORT_UNCALLED]);
    print_text("imports", library);
}

// Warn of calls of the C library's mathematics, even if all variants agree here: another library
// or processor comes to other bits.
static void print_calls(const check_imports *imports)
{
    char text[512];
    for (uint32_t i = 0; i < imports->call_count; i++) {
        const check_call *call = &imports->called[i];
        if (!check_imports_is_mathematics(call->function)) {
            continue;
        }
        TEXT_SET(text,
                 "a step calls %s, whose last bits differ between C libraries: use that of math.h",
                 call->function);
        if (call->at.line[0] != '\0') {
            TEXT_ADD(text, "; at %s, in %s: %s", call->at.line, call->at.function, call->at.text);
        }
        print_text("warning", text);
    }
}

static void print_variants(const check_report *report)
{
    printf("\n");
    for (uint32_t i = 0; i < report->count; i++) {
        print_outcome(&report->outcomes[i]);
    }
    char names[512] = "";
    for (uint32_t i = report->count; i < report->chosen; i++) {
        TEXT_ADD(names, "%s%s", names[0] != '\0' ? ", " : "", report->outcomes[i].variant->name);
    }
    print_text("not run", names);
    print_imports(&report->imports);
    print_calls(&report->imports);
    if (report->no_types[0] != '\0') {
        char text[400];
        TEXT_SET(text, "none are known: the game %s", report->no_types);
        print_text("types", text);
    }
    if (!report->has_fixed_addresses) {
        print_text("addresses", "this system lets no program fix them: all processes lie at their "
                                "own, and any variant may meet what address is for");
    }
    print_text("ended", ended_early(report) != NULL ? ended_early(report) : "");
}

// ---- the whole report as text ----

// Return a phrase that says how the baseline fails, so that nothing can be compared. NULL if the
// baseline does not fail.
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
    } else if (strongest(report) == CHECK_SAME) {
        verdict = "deterministic";
        code = "\033[1;32m";
    }
    TEXT_SET(text, "%s: %s, %" PRId64 " tick%s, %" PRIu32 " player%s, input %s, seed %" PRId64,
             report->game, verdict, o->ticks, TOOL_PLURAL(o->ticks), report->players,
             TOOL_PLURAL(report->players), o->input, o->seed);
    printf("%s", colour(code));
    check_text_wrap(stdout, tool_columns(), 0, 2, text);
    printf("%s", colour("\033[0m"));
}

// Print remarks on the game: raw pointers, log lines, and which data is compared.
static void print_game(const check_report *report)
{
    const check_log *log = &report->log;
    char text[CHECK_LOG_BYTES + 64];
    if (has_pointers(report)) {
        print_text("pointers", "the state holds raw pointers, which no other process can take up: "
                               "use bks_ref, or set `pointers` and `hash` in the bks_game");
    }
    for (uint32_t i = 0; i < CHECK_LOG_LINES && i < log->count; i++) {
        print_text(i == 0 ? "log" : "", log->lines[i]);
    }
    if (log->count > CHECK_LOG_LINES) {
        TEXT_SET(text, "and %" PRIu32 " more line%s", log->count - CHECK_LOG_LINES,
                 TOOL_PLURAL(log->count - CHECK_LOG_LINES));
        print_text("", text);
    }
    if (report->has_hash) {
        print_text("compared", "by the game's own hash: what it leaves out is not compared");
    }
}

void check_report_print(const check_report *report)
{
    print_verdict(report);
    print_game(report);
    print_faults(report);
    print_variants(report);
}
