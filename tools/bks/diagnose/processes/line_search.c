// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/line_search.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/processes/watch_way.h"

static const uint64_t meet_ns = 1000000;

// ---- request for a second run ----

static const char *why_not(const check_finding *found)
{
    if (strcmp(found->mark, CHECK_MARK_START) == 0) {
        return "it differs before the step: init, save or load wrote it";
    }
    return found->object[0] == '\0' ? "no field is named"
                                    : "what save writes has no address of its own";
}

bool line_search_request(check_result *result, check_request *out)
{
    check_finding *found = &result->found;
    if (result->same != CHECK_DIFFERS || found->written_b.line[0] != '\0' ||
        found->written_b.why[0] != '\0') {
        return false;
    }
    const bool is_field = found->watched[0].bytes > 0 && strcmp(found->mark, CHECK_MARK_START) != 0;
    *out = (check_request){.is_wanted = is_field || found->has_crashed,
                           .tick = found->tick,
                           .mark_index = found->mark_index,
                           .is_input = found->is_input,
                           .is_of_baseline = found->is_of_baseline,
                           .is_at_start = found->is_at_start};
    if (!found->has_crashed) {
        memcpy(out->watched, found->watched, sizeof(out->watched));
    }
    if (!out->is_wanted) {
        TEXT_SET(found->written_b.why, "%s", why_not(found));
    }
    if (out->is_wanted && out->watched[0].bytes > 0) {
        out->way = watch_way_find(&found->written_b);
    }
    return out->is_wanted && out->way != CHECK_WATCH_NONE;
}

// If only the baseline wrote the bytes, at a line that is not known, say so in the finding.
static void explain_unwritten(check_finding *found)
{
    const code_line *there = &found->written_a;
    if (strcmp(found->written_b.why, CHECK_WATCH_UNWRITTEN) == 0 && there->line[0] == '\0' &&
        there->why[0] != '\0' && strcmp(there->why, CHECK_WATCH_UNWRITTEN) != 0) {
        TEXT_SET(found->written_b.why, "the baseline alone wrote it: %.120s", there->why);
    }
}

// Take over which value a second run saw written differently first.
static void take_origin(check_finding *found, const check_finding *second)
{
    if (second->origin > 0) {
        state_difference_choose(&found->values, second->origin - 1);
        found->origin = second->origin;
        found->origin_a = second->origin_a;
        found->origin_b = second->origin_b;
    }
}

bool line_search_take(check_result *result, const check_result *second)
{
    check_finding *found = &result->found;
    const check_finding *other = &second->found;
    if (second->same != CHECK_DIFFERS || other->tick != found->tick ||
        strcmp(other->mark, found->mark) != 0 || strcmp(other->object, found->object) != 0 ||
        strcmp(other->field, found->field) != 0) {
        TEXT_SET(found->written_b.why, "a second run did not come to the same");
        return false;
    }
    found->written_a = other->written_a;
    found->written_b = other->written_b;
    take_origin(found, other);
    if (strcmp(found->mark, CHECK_MARK_BETWEEN) == 0) {
        found->written_a = (code_line){0}; // the baseline has not stepped yet
    }
    explain_unwritten(found);
    if (found->written_b.line[0] == '\0' && found->written_b.why[0] == '\0') {
        TEXT_SET(found->written_b.why, "the process ended outside of a step");
    }
    return true;
}

// ---- values at marks ----

static bool is_this(const check_tape *tape)
{
    return tape->request.is_wanted && !tape->request.is_at_start &&
           tape->tick == tape->request.tick;
}

// Note the watched values as this process has them now.
static bool note(const check_tape *tape, const check_addresses *addresses,
                 uint64_t out[CHECK_WATCHED_MAX])
{
    const check_request *request = &tape->request;
    const uint64_t begin = request->is_input ? addresses->inputs : addresses->state;
    bool is_good = true;
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        const check_bytes *from = &request->watched[i];
        out[i] = 0;
        is_good &= from->bytes == 0 || process_read(getpid(), begin + from->offset, &out[i],
                                                    from->bytes) == from->bytes;
    }
    return is_good;
}

static void note_before(check_tape *tape, const check_addresses *addresses, watched_marks *out)
{
    out->is_known = false;
    out->has_before = note(tape, addresses, out->before);
}

static void note_after(check_tape *tape, const check_addresses *addresses, watched_marks *out)
{
    out->is_known = out->has_before && note(tape, addresses, out->after);
}

void line_search_mark(check_tape *tape)
{
    if (is_this(tape) && tape->mark_count + 1 == tape->request.mark_index) {
        note_before(tape, &tape->baseline, &tape->around_a);
    } else if (is_this(tape) && tape->mark_count == tape->request.mark_index) {
        note_after(tape, &tape->baseline, &tape->around_a);
    }
}

void line_search_section(check_tape *tape)
{
    if (is_this(tape) && tape->result.same != CHECK_DIFFERS) {
        note_before(tape, &tape->variant, &tape->around_b);
    }
}

void line_search_found(check_tape *tape)
{
    if (is_this(tape)) {
        note_after(tape, &tape->variant, &tape->around_b);
    }
}

// ---- watching the baseline ----

// Make a watch of the bytes that the tape's request names.
static void make_watch(check_tape *tape, pid_t process, const check_addresses *addresses,
                       uint32_t (*section)(void *context), check_watch *out)
{
    const check_request *request = &tape->request;
    const uint64_t begin = request->is_input ? addresses->inputs : addresses->state;
    *out = (check_watch){.process = process,
                         .code = addresses->code,
                         .way = request->way,
                         .gate = addresses->gate,
                         .section = section,
                         .context = tape};
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX; i++) {
        const check_bytes *from = &request->watched[i];
        const uint64_t address = begin + from->offset;
        // A debug register watches only aligned bytes.
        if (from->bytes > 0 && (i == 0 || address % from->bytes == 0)) {
            out->watched[i] = (watched_bytes){address, from->bytes};
        }
    }
}

// Return 1 while the baseline runs the section that ends at the request's mark, else 0.
static uint32_t section_of_baseline(void *context)
{
    const check_tape *tape = context;
    return tape->mark_count == tape->request.mark_index ? 1 : 0;
}

void line_search_watch_baseline(check_tape *tape, pid_t baseline)
{
    static check_watch watch;
    if (!tape->is_baseline_ready || tape->is_baseline_free) {
        return;
    }
    make_watch(tape, baseline, &tape->baseline, section_of_baseline, &watch);
    watch.marks = &tape->around_a;
    const bool has_bytes = watch.watched[0].bytes > 0;
    const bool is_wanted = has_bytes || tape->request.is_of_baseline;
    tape->pauses_baseline = is_wanted && check_watch_begin(&watch, &tape->written_a[0]);
    tape->writes_a.is_unknown = !tape->pauses_baseline;
    tape->is_baseline_free = true;
    if (!tape->pauses_baseline) {
        return;
    }
    const bool is_alive = check_watch_wait(&watch);
    for (uint32_t i = 0; i < CHECK_WATCHED_MAX && is_alive && has_bytes; i++) {
        check_watch_name(&watch, i, 1, &tape->written_a[i]);
    }
    check_watch_writes(&watch, 1, &tape->writes_a);
    tape->crashed = watch.crashed;
    check_watch_end(&watch);
}

static void meet(check_tape *tape)
{
    tape->is_baseline_ready = true;
    while (!tape->is_baseline_free) {
        tool_sleep_ns(meet_ns);
    }
}

void line_search_enter(check_tape *tape)
{
    if (!is_this(tape)) {
        return;
    }
    meet(tape);
    if (tape->mark_count == tape->request.mark_index) {
        note_before(tape, &tape->baseline, &tape->around_a);
    }
}

void line_search_enter_start(check_tape *tape, uint64_t code)
{
    if (tape->request.is_wanted && tape->request.is_at_start) {
        tape->baseline.code = code;
        meet(tape);
    }
}

void line_search_leave_start(const check_tape *tape)
{
    if (tape->request.is_wanted && tape->request.is_at_start && tape->pauses_baseline) {
        check_watch_stand();
    }
}

void line_search_leave(check_tape *tape)
{
    if (is_this(tape) && tape->mark_count == tape->request.mark_index) {
        note_after(tape, &tape->baseline, &tape->around_a); // no mark has ended the section
    }
    if (is_this(tape) && tape->pauses_baseline) {
        check_watch_stand();
    }
}

// ---- watching the variant ----

// Return the variant's current section, or 0 if the game does not run or a difference was found
// already.
static uint32_t section_of_variant(void *context)
{
    const check_tape *tape = context;
    return tape->is_in_game && tape->result.same != CHECK_DIFFERS ? tape->section : 0;
}

bool line_search_watch_variant(check_tape *tape, pid_t variant, check_watch *watch)
{
    if (!is_this(tape)) {
        return false;
    }
    make_watch(tape, variant, &tape->variant, section_of_variant, watch);
    watch->compares = &tape->compares;
    watch->marks = &tape->around_b;
    tape->pauses_variant = check_watch_begin(watch, &tape->written_b);
    return tape->pauses_variant;
}

void line_search_finish(check_tape *tape, check_watch *watch)
{
    static check_writes writes;
    if (check_watch_wait(watch) && watch->watched[0].bytes > 0) {
        check_watch_writes(watch, tape->found_section, &writes);
        check_watch_name(watch, 0, tape->found_section, &tape->written_b);
        tape->origin = check_writes_first(&tape->writes_a, &writes);
        if (tape->origin > 0) {
            check_watch_name(watch, tape->origin, tape->found_section, &tape->origin_b);
        }
    } else {
        tape->written_b = watch->crashed;
    }
    tape->pauses_variant = false;
    check_watch_end(watch);
}

void line_search_done(const check_tape *tape)
{
    if (tape->pauses_variant) {
        check_watch_stand();
    }
}
