// SPDX-License-Identifier: MIT

#include "diagnose/check/check_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "diagnose/check/check_words.h"

bool check_report_is_deterministic(const check_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->outcomes[i].result.same == CHECK_DIFFERS) {
            return false;
        }
    }
    return true;
}

bool check_report_is_exercised(const check_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->outcomes[i].result.same != CHECK_NOT_EXERCISED) {
            return true;
        }
    }
    return false;
}

bool check_report_has_pointers(const check_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->outcomes[i].result.has_pointers) {
            return true;
        }
    }
    return false;
}

static void json_log(json *out, const check_log *log)
{
    json_uint(out, "log_lines", log->count);
    json_row(out, "log");
    for (uint32_t i = 0; i < CHECK_LOG_LINES && i < log->count; i++) {
        json_text(out, NULL, log->lines[i]);
    }
    json_close(out);
}

static void json_known(json *j, const char *key, const char *text)
{
    json_text(j, key, text[0] != '\0' ? text : NULL);
}

static void json_outcome(json *j, const check_report *report, const check_outcome *outcome)
{
    const check_result *r = &outcome->result;
    const check_finding *found = &r->found;
    json_object(j, NULL);
    json_text(j, "name", check_outcome_name(outcome));
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
        json_text(j, "cause", check_fault_cause(report, outcome));
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

// The variants that found it besides.
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

// What differs, each once, with the command that shows it again.
static void json_faults(json *out, const check_report *report)
{
    static check_fault fault;
    static check_words words;
    static char line[16384];
    json_array(out, "faults");
    for (uint32_t at = 0; check_fault_next(report, &at, &fault);) {
        check_fault_words(report, &fault, &words);
        check_words_join(&words, line, sizeof(line));
        json_object(out, NULL);
        json_text(out, "cause", fault.cause);
        json_text(out, "found_by", fault.by);
        json_finders(out, &fault);
        json_int(out, "tick", fault.tick);
        json_text(out, "mark", fault.mark);
        json_known(out, "name", fault.name);
        json_known(out, "a", fault.a);
        json_known(out, "b", fault.b);
        json_known(out, "line", fault.written.line);
        json_known(out, "function", fault.written.function);
        json_known(out, "source", fault.written.text);
        json_known(out, "line_why", fault.written.line[0] == '\0' ? fault.written.why : "");
        json_known(out, "baseline_line", fault.baseline_written.line);
        json_known(out, "baseline_function", fault.baseline_written.function);
        json_known(out, "baseline_source", fault.baseline_written.text);
        json_known(out, "note", fault.note);
        json_text(out, "next", fault.next);
        json_text(out, "repeat", line);
        json_close(out);
    }
    json_close(out);
}

static void json_imported(json *out, const char *key, const check_imports *imports,
                          bool is_of_library)
{
    json_row(out, key);
    for (uint32_t i = 0; i < imports->count; i++) {
        if (imports->is_of_library[i] == is_of_library) {
            json_text(out, NULL, imports->names[i]);
        }
    }
    json_close(out);
}

static void json_imports(json *out, const check_imports *imports)
{
    if (imports->why != NULL) {
        json_null(out, "imports");
        json_null(out, "library_imports");
        return;
    }
    json_imported(out, "imports", imports, false);
    json_imported(out, "library_imports", imports, true);
}

bool check_report_json(const check_report *report)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "game", report->game);
    json_int(&out, "ticks", report->options->ticks);
    json_int(&out, "seed", report->options->seed);
    json_uint(&out, "players", report->players);
    const bool is_known = !report->is_stopped && check_report_is_exercised(report);
    if (!is_known && check_report_is_deterministic(report)) {
        json_null(&out, "deterministic");
    } else {
        json_bool(&out, "deterministic", check_report_is_deterministic(report));
    }
    json_bool(&out, "stopped", report->is_stopped);
    json_array(&out, "variants");
    for (uint32_t i = 0; i < report->count; i++) {
        json_outcome(&out, report, &report->outcomes[i]);
    }
    json_close(&out);
    json_row(&out, "not_run");
    for (uint32_t i = 0; i < report->left_count; i++) {
        json_text(&out, NULL, report->left[i]);
    }
    json_close(&out);
    json_faults(&out, report);
    json_bool(&out, "fixed_addresses", report->has_fixed_addresses);
    json_imports(&out, &report->imports);
    json_known(&out, "no_types", report->no_types);
    json_text(&out, "compared_by", report->has_hash ? "hash" : "bytes");
    json_bool(&out, "raw_pointers", check_report_has_pointers(report));
    json_log(&out, &report->log);
    return json_end(&out);
}
