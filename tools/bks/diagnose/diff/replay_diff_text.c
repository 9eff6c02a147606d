// SPDX-License-Identifier: MIT

// Writes the comparison of two recordings as lines, for `bks replay diff` and for the evidence of
// `bks doctor`.

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/tool.h"
#include "diagnose/diff/replay_diff.h"

enum { LINE_BYTES = 1024 };

/// Receiver of the lines of a report.
typedef struct reporter {
    replay_diff_report *report;
    void *context;
    bool is_detail;
} reporter;

BKS_PRINTF(2, 3) static void report(const reporter *to, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    to->report(to->context, to->is_detail, line);
}

static void report_headers(const replay_diff *d, const reporter *to)
{
    bool differs = false;
    for (uint32_t i = 0; i < d->header_count; i++) {
        const replay_diff_header *header = &d->headers[i];
        differs = differs || header->counts;
        report(to, "%s: %s in A, %s in B%s", header->name,
               header->a[0] != '\0' ? header->a : "none", header->b[0] != '\0' ? header->b : "none",
               header->counts ? "" : " (not counted)");
    }
    if (!differs) {
        report(to, "game, version, layout, options and seed are the same");
    }
}

static void report_input(const reporter *to, const char *what, const bks_input_difference *input,
                         const char *field)
{
    report(to,
           "%s: differ first at tick %" PRId32 ", player %" PRIu32 ", %s: %" PRId32
           " in A, %" PRId32 " in B",
           what, input->tick, input->player, field, input->a, input->b);
}

static void report_inputs(const replay_diff *d, const reporter *to)
{
    const bks_replay_comparison *found = &d->found;
    if (found->input.tick != BKS_TICK_NONE) {
        report_input(to, "inputs", &found->input, d->input_field);
    } else if (found->inputs_compared > 0) {
        report(to, "inputs: the same, %" PRId32 " tick%s", found->inputs_compared,
               TOOL_PLURAL(found->inputs_compared));
    } else {
        report(to, "inputs: not compared: %s",
               found->until <= found->first ? "no tick is confirmed in both"
                                            : "their layouts or numbers of players differ");
    }
    if (found->lost > 0) {
        report(to, "inputs: lost in one of them in %" PRId32 " tick%s", found->lost,
               TOOL_PLURAL(found->lost));
    }
    if (found->guess.tick != BKS_TICK_NONE) {
        report_input(to, "guesses, not counted", &found->guess, d->guess_field);
    } else if (found->guesses_compared > 0) {
        report(to, "guesses, not counted: the same, %" PRId32 " tick%s from tick %" PRId32 " on",
               found->guesses_compared, TOOL_PLURAL(found->guesses_compared), found->until);
    }
}

static void report_hashes(const replay_diff *d, const reporter *to)
{
    const bks_replay_comparison *found = &d->found;
    const int digits = (int)(found->hash_bits + 3) / 4;
    if (found->hash_tick != BKS_TICK_NONE) {
        report(to,
               "hashes: differ first at tick %" PRId32 ", of %" PRId32 " compared: %0*" PRIx64
               " in A, %0*" PRIx64 " in B",
               found->hash_tick, found->hashes_compared, digits, found->hash_a, digits,
               found->hash_b);
    } else if (found->hashes_compared == 0) {
        report(to, "hashes: no tick has one in both");
    } else {
        report(to, "hashes: the same, %" PRId32 " compared", found->hashes_compared);
    }
    if (d->whose != NULL) {
        report(to, "hashes: stepped here, as recorded in %s", d->whose);
    }
}

// Report how pages and values compare. A recording holds them only on request.
static void report_rows(const replay_diff *d, const reporter *to)
{
    const bks_replay_comparison *found = &d->found;
    if (found->page_tick != BKS_TICK_NONE) {
        report(to,
               "pages: differ first at tick %" PRId32 ": page %" PRIu32 "%s%s%s, of %" PRIu32
               " that differ",
               found->page_tick, found->page, d->page[0] != '\0' ? " (" : "", d->page,
               d->page[0] != '\0' ? ")" : "", found->pages_differ);
    } else if (found->pages_compared > 0) {
        report(to, "pages: the same, %" PRId32 " tick%s", found->pages_compared,
               TOOL_PLURAL(found->pages_compared));
    }
    if (found->value_tick != BKS_TICK_NONE) {
        report(to, "values: differ first at tick %" PRId32 ": %s: %s in A, %s in B",
               found->value_tick, d->value.name, d->value.a, d->value.b);
    } else if (found->values_compared > 0) {
        report(to, "values: the same, %" PRId32 " tick%s", found->values_compared,
               TOOL_PLURAL(found->values_compared));
    }
}

void replay_diff_value_text(const replay_diff_value *value, char *out, size_t capacity)
{
    const bool has_note = value->note[0] != '\0';
    out[0] = '\0';
    if (value->name[0] != '\0') {
        (void)snprintf(out, capacity, ": %s%s%s%s: %s in A, %s in B", value->name,
                       has_note ? " (" : "", value->note, has_note ? ")" : "", value->a, value->b);
    }
}

static void report_keyframes(const replay_diff *d, const reporter *to)
{
    const bks_replay_comparison *found = &d->found;
    char value[REPLAY_DIFF_VALUE_BYTES];
    if (found->state_tick != BKS_TICK_NONE) {
        replay_diff_value_text(&d->keyframe_value, value, sizeof(value));
        report(to, "%s at tick %" PRId32 ", %" PRIu64 " byte%s%s",
               found->state_tick == found->first ? "first state: differs"
                                                 : "keyframes: differ first",
               found->state_tick, found->state_differ, TOOL_PLURAL(found->state_differ), value);
    } else if (found->states_compared > 0) {
        report(to, "keyframes: the same, %" PRIu32 " state%s", found->states_compared,
               TOOL_PLURAL(found->states_compared));
    }
    if (found->states_unreadable > 0) {
        report(to, "keyframes: %" PRIu32 " cannot be unpacked in one of them",
               found->states_unreadable);
    }
    if (found->states_skipped > 0) {
        report(to, "keyframes: %" PRIu32 " not tried after so many", found->states_skipped);
    }
}

static void report_events(const replay_diff *d, const reporter *to)
{
    if (d->has_other_event) {
        report(to, "events: differ first: %s in A, %s in B",
               d->event[0][0] != '\0' ? d->event[0] : "none",
               d->event[1][0] != '\0' ? d->event[1] : "none");
    } else {
        report(to, "events: the same");
    }
    for (int i = 0; i < 2; i++) {
        if (d->desync[i][0] != '\0') {
            report(to, "events: noted in %c: %s", 'A' + i, d->desync[i]);
        }
    }
}

void replay_diff_report_files(const replay_diff *d, replay_diff_report *receive, void *context)
{
    const reporter plain = {.report = receive, .context = context};
    const reporter detail = {.report = receive, .context = context, .is_detail = true};
    report_headers(d, &plain);
    report_inputs(d, &plain);
    report_hashes(d, &plain);
    report_rows(d, &detail);
    report_keyframes(d, &detail);
    report_events(d, &detail);
}

static void report_notes(const replay_diff_notes *notes, const reporter *to)
{
    if (notes->tick != BKS_TICK_NONE) {
        report(to, "notes: differ first in tick %" PRId32 ", behind mark %s: '%s' in A, '%s' in B",
               notes->tick, notes->mark[0] != '\0' ? notes->mark : "(unknown)", notes->text[0],
               notes->text[1]);
    } else if (notes->compared > 0) {
        report(to, "notes: the same, %" PRId32 " tick%s", notes->compared,
               TOOL_PLURAL(notes->compared));
    }
}

void replay_diff_report_marks(const replay_diff *d, replay_diff_report *receive, void *context)
{
    const replay_diff_marks *marks = &d->marks;
    const reporter to = {.report = receive, .context = context};
    char value[REPLAY_DIFF_VALUE_BYTES];
    if (marks->tick != BKS_TICK_NONE) {
        replay_diff_value_text(&marks->value, value, sizeof(value));
        report(&to, "marks: differ first in tick %" PRId32 ", at mark %s%s%s", marks->tick,
               marks->mark, marks->is_late ? ", with no marks in both before it" : "", value);
    } else if (marks->compared > 0) {
        report(&to, "marks: the same, %" PRId32 " tick%s", marks->compared,
               TOOL_PLURAL(marks->compared));
    }
    if (marks->lost > 0) {
        report(&to, "marks: not in both in %" PRId32 " tick%s", marks->lost,
               TOOL_PLURAL(marks->lost));
    }
    report_notes(&d->notes, &to);
}
