// SPDX-License-Identifier: MIT

#include "diagnose/check/check_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/altered_system.h"
#include "base/heap.h"
#include "base/process.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/processes/check_timeout.h"
#include "diagnose/processes/check_watch.h"
#include "diagnose/processes/line_search.h"
#include "diagnose/processes/stepper.h"
#include "diagnose/processes/variant_process.h"
#include "diagnose/variants/cast_catch.h"
#include "diagnose/variants/variants.h"

enum { LOOK_NS = 2000000, LAST_WORDS_MS = 500, FILL_HEAP = 0x5A };

// ---- a baseline that hangs or crashes ----

/// State of watching one baseline for hangs. Start from {0}.
typedef struct baseline_observer {
    check_observer observer;
    /// Value of check_tape.stretch for the work that is observed now; 0: no work is observed.
    uint32_t stretch;
} baseline_observer;

static check_finding *find_in_baseline(check_tape *tape, const char *what)
{
    check_finding *found = &tape->result.found;
    const char *mark =
        tape->mark_count > 0 ? tape->marks[tape->mark_count - 1].name : CHECK_MARK_START;
    *found = (check_finding){.tick = tape->tick, .is_of_baseline = true};
    found->is_at_start = tape->baseline.state == 0;
    TEXT_SET(found->mark, "%s", mark);
    TEXT_SET(found->b, "%s", what);
    tape->result.same = CHECK_DIFFERS;
    return found;
}

// Check whether the baseline hangs. If it does, record the place, kill the baseline's process and
// return true. Call this repeatedly.
static bool hangs(baseline_observer *baseline, check_tape *tape, pid_t process)
{
    const uint32_t stretch = tape->stretch;
    char why[160];
    if (stretch != baseline->stretch) {
        // Allow more time until the baseline has published its addresses: before that it loads the
        // game and makes the state, which may take longer than a step.
        const check_allowance allowance =
            tape->baseline.code == 0 ? CHECK_FOR_A_START : CHECK_FOR_THE_FIRST;
        baseline->stretch = stretch;
        check_observer_begin(&baseline->observer, process, allowance, tape->baseline_most_ns);
    }
    if (stretch == 0 || !check_observer_hangs(&baseline->observer, why, sizeof(why))) {
        return false;
    }
    check_finding *found = find_in_baseline(tape, "does not end");
    TEXT_SET(found->note, "%s", why);
    check_watch_where(process, tape->baseline.code, &found->written_b);
    child_kill(process);
    return true;
}

// Record that a step ended the baseline's process. `signal_number` is the signal, or 0 if the step
// called exit().
static void find_end(check_tape *tape, int signal_number)
{
    char what[64] = "ends the program";
    if (signal_number != 0) {
        child_crash_text(signal_number, what, sizeof(what));
    }
    check_finding *found = find_in_baseline(tape, what);
    found->has_crashed = true;
    found->written_b = tape->crashed;
    if (signal_number == 0 && !tape->request.is_wanted) {
        TEXT_SET(found->written_b.why,
                 "it ends without a signal; `repeat` records it for a debugger");
    }
}

// ---- the baseline's log ----

// Return true if a log line is a warning or an error, either of the library in the plug-in or of
// this program.
static bool is_logged(const char *line)
{
    static const char *const begins[] = {"backstitch: warning: ", "backstitch: error: ", "bks: "};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        if (strncmp(line, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

// Return how many lines a log line says were left out. Of lines of the same kind, the library
// prints the first ten, and later one more line with the number of those it left out in between.
static uint32_t left_out(const char *line)
{
    const char *more = strstr(line, " more of these were left out)");
    const char *begin = more;
    while (begin != NULL && begin > line && *begin != ';') {
        begin--;
    }
    return begin != NULL && *begin == ';' ? (uint32_t)strtoul(begin + 1, NULL, 10) : 0;
}

static void read_log(const child *process, check_log *out)
{
    char text[32768];
    (void)child_peek(process, text, sizeof(text));
    *out = (check_log){0};
    for (char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n' ? 1 : 0);
        line[length] = '\0';
        if (is_logged(line)) {
            if (out->count < CHECK_LOG_LINES) {
                (void)snprintf(out->lines[out->count], CHECK_LOG_BYTES, "%.*s", CHECK_LOG_BYTES - 1,
                               line);
            }
            out->count += 1 + left_out(line);
        }
        line = next;
    }
}

// ---- one run of a variant beside its baseline ----

// Write onto the tape what a run needs: its options, its check_span and the request for bytes to
// watch.
// @return false if the tape is full
static bool put_on_tape(const check_run *run, const check_request *request, check_tape *tape)
{
    static check_options options;
    options = *run->options;
    options.value = run->value;
    options.is_serial = run->is_serial;
    tape->request = *request;
    if (run->span != NULL) {
        options.first = run->span->first;
        options.ticks = run->span->until;
        tape->span = *run->span;
        tape->span.is_wanted = true;
        if (!check_tape_room(tape, run->span->state_bytes)) {
            return false;
        }
        // If the tape holds no state, the game's `init` makes the first one.
        if (run->span->state_bytes > 0) {
            memcpy(check_tape_states(tape), run->state, (size_t)run->span->state_bytes);
        }
    }
    return check_options_write(&options, &tape->plan);
}

static check_tape *make_tape(const check_run *run, const check_request *request, int *out_number)
{
    check_tape *tape = check_tape_make(out_number);
    if (tape != NULL && !put_on_tape(run, request, tape)) {
        check_tape_close(tape);
        shared_memory_close(*out_number);
        tape = NULL;
    }
    if (tape == NULL) {
        tool_complain("check", "no memory for the states of a tick");
    }
    return tape;
}

int check_run_once(check_run *run, const check_variant *variant, const check_request *request,
                   check_result *out)
{
    static child process;
    check_task task = {.role = CHECK_BASELINE, .variant = check_variant_number(variant)};
    check_tape *tape = make_tape(run, request, &task.tape);
    process = (child){0};
    if (tape == NULL) {
        return TOOL_DAMAGED;
    }
    // check_task_start() has printed the error to stderr.
    if (!check_task_start(&task, CHECK_PLAIN, &process)) {
        check_tape_close(tape);
        shared_memory_close(task.tape);
        return TOOL_DAMAGED;
    }
    baseline_observer observer = {0};
    while (!child_has_ended(&process) && !stop_is_wanted() &&
           !hangs(&observer, tape, process.pid)) {
        tool_sleep_ns(LOOK_NS);
        line_search_watch_baseline(tape, process.pid);
        progress_show(&run->bar, run->done + (uint64_t)tape->tick);
    }
    if (run->log.count == 0) {
        read_log(&process, &run->log);
    }
    child_finish(&process, LAST_WORDS_MS);
    // The game has ended the baseline's process if the exit status is TOOL_NO, or if the process
    // exited before it reached the end of the run.
    const bool has_died = process.status < 0 || process.status == TOOL_NO ||
                          (process.status == TOOL_OK && !tape->is_finished);
    if (has_died && !tape->result.found.is_of_baseline && !stop_is_wanted()) {
        find_end(tape, process.signal);
    }
    *out = tape->result;
    run->threads = tape->threads > run->threads ? tape->threads : run->threads;
    if (run->span != NULL) {
        *run->span = tape->span;
    }
    if (run->ended != NULL) {
        run->ended(run->context, tape);
    }
    check_tape_close(tape);
    shared_memory_close(task.tape);
    if (stop_is_wanted()) {
        return TOOL_STOPPED;
    }
    if (process.status == TOOL_OK || out->found.is_of_baseline) {
        return TOOL_OK;
    }
    fprintf(stderr, "%s%s", process.complaint, process.complaint[0] != '\0' ? "\n" : "");
    return process.status;
}

/// Most times that a difference is looked for again: a race comes to the same only now and then.
enum { SECOND_RUNS_MAX = 3 };

// Run a variant again to find the source line of its difference.
static int search_line(check_run *run, const check_variant *variant, const check_request *request,
                       check_result *out)
{
    check_result second;
    int status = TOOL_OK;
    bool is_found = false;
    for (uint32_t i = 0; i < SECOND_RUNS_MAX && status == TOOL_OK && !is_found; i++) {
        status = check_run_once(run, variant, request, &second);
        is_found = status == TOOL_OK && line_search_take(out, &second);
    }
    if (status == TOOL_STOPPED) {
        TEXT_SET(out->found.written_b.why, "the check was stopped");
        // The finding of the first run stays valid if the second run is stopped.
        status = TOOL_OK;
    }
    return status;
}

int check_run_variant(check_run *run, const check_variant *variant, check_result *out)
{
    check_request request = {0};
    int status = check_run_once(run, variant, &request, out);
    if ((variant->process & CHECK_WATCHED) != 0 && out->same == CHECK_DIFFERS &&
        !out->found.is_of_baseline) {
        code_line *line = &out->found.written_b;
        if (line->line[0] == '\0' && line->why[0] == '\0') {
            TEXT_SET(line->why, "valgrind has no watchpoints%s",
                     out->found.note[0] != '\0' ? "; see the note" : "");
        }
    }
    if (status == TOOL_OK && line_search_request(out, &request)) {
        status = search_line(run, variant, &request, out);
    }
    return status;
}

static int refuse_task(void)
{
    tool_complain("BKS_CHECK_TASK", "is not a task of 'bks check', expected it unset");
    return TOOL_MISUSE;
}

// Run as the baseline or the variant. In both processes the game starts with the same memory
// contents and at the same depth of the stack.
int check_run_process(const check_task *task)
{
    static check_options options;
    if (task->variant >= check_variant_all) {
        return refuse_task();
    }
    const check_variant *variant = check_variants[task->variant];
    size_t mapped_bytes = 0; // size of the mapped part of the tape in bytes; 0: the whole tape
    const bool is_watched = task->role == CHECK_VARIANT && (variant->process & CHECK_WATCHED) != 0;
    check_tape *tape = is_watched ? check_tape_follow(NULL, task->tape, &mapped_bytes)
                                  : check_tape_open(task->tape);
    if (tape == NULL) {
        return refuse_task();
    }
    const int status = check_options_read(&tape->plan, &options);
    if (status != TOOL_OK) {
        return status;
    }
    if (options.is_serial) {
        thread_serial_begin();
    }
    cast_catch_begin(NULL);
    alloc_count_fill(FILL_HEAP);
    stepper_stand_below(__builtin_frame_address(0));
    // Do not unmap the tape: the processes use it until they end.
    return task->role == CHECK_BASELINE ? baseline_main(&options, variant, task, tape)
                                        : variant_main(&options, variant, task, tape, mapped_bytes);
}
