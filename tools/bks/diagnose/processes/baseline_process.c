// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/variant_process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/altered_system.h"
#include "base/args.h"
#include "base/heap.h"
#include "base/process.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/processes/between_steps.h"
#include "diagnose/processes/check_imports.h"
#include "diagnose/processes/check_pipe.h"
#include "diagnose/processes/check_timeout.h"
#include "diagnose/processes/line_search.h"
#include "diagnose/processes/stepper.h"

/// LAST_WORDS_MS: time that a variant's process is given to end by itself, in ms. The others are
/// for variants whose processes import the baseline's state. IMPORT_TICKS: about the most ticks
/// from one import of the state to the next. IMPORTS_MIN: about the fewest imports in a check, if
/// it has that many ticks.
enum { IMPORT_TICKS = 300, IMPORTS_MIN = 6, LAST_WORDS_MS = 2000 };

typedef struct baseline_process {
    const check_variant *kind;
    const check_task *task;
    check_stepper stepper;
    check_tape *tape;
    bool is_full; ///< true if the states of a tick did not fit onto the tape
    check_timeout timeout;
    check_watch watch;
    child variant;
    bool has_settled;  ///< true once heap_settle() was called after the first start of a variant
    bool has_answered; ///< true if the current process of the variant has answered at least once
    /// Pipe to the variant, which carries a request and an answer for each tick.
    check_pipe pipe;
    uint32_t stretches;               ///< number of stretches of work that the baseline has begun
    char last_mark[CHECK_MARK_BYTES]; ///< newest mark that a step reached, "": none yet
    bks_tick last_tick;               ///< tick of that step
} baseline_process;

static void add_mark(baseline_process *baseline, const char *name)
{
    check_tape *tape = baseline->tape;
    const uint64_t most = baseline->stepper.state_bytes_max;
    line_search_mark(tape);
    const bool has_room = most <= CHECK_STATES_BYTES - tape->states_count &&
                          check_tape_room(tape, tape->states_count + most);
    const size_t count =
        !has_room ? 0
                  : stepper_bytes(&baseline->stepper, check_tape_states(tape) + tape->states_count,
                                  (size_t)most);
    const uint64_t hash =
        stepper_has_hash(&baseline->stepper) ? bks_runner_hash(baseline->stepper.runner) : 0;
    baseline->is_full |= !has_room || !check_tape_add(tape, name, hash, count);
}

static void hear_mark(void *context, bks_tick tick, const char *name)
{
    baseline_process *baseline = context;
    TEXT_SET(baseline->last_mark, "%s", name);
    baseline->last_tick = tick;
    add_mark(baseline, name);
}

// ---- the variant's process ----

static void end_variant(baseline_process *baseline)
{
    if (baseline->variant.pid == 0) {
        return;
    }
    check_pipe_close(&baseline->pipe);
    thread_serial_rest(true);
    child_finish(&baseline->variant, LAST_WORDS_MS);
    thread_serial_rest(false);
    baseline->variant.pid = 0;
}

// Record how the variant's process ended. If a difference was found before, only append the end to
// that finding's note.
static void find_end(baseline_process *baseline, const char *what, const char *note)
{
    check_tape *tape = baseline->tape;
    check_finding *found = &tape->result.found;
    if (tape->result.same == CHECK_DIFFERS) {
        TEXT_ADD(found->note, "%sthen it %s: %s", found->note[0] != '\0' ? "; " : "", what, note);
        return;
    }
    tape->result.same = CHECK_DIFFERS;
    *found = (check_finding){.tick = tape->tick};
    const char *mark =
        !tape->is_in_variant || tape->reached[0] == '\0' ? CHECK_MARK_START : tape->reached;
    TEXT_SET(found->mark, "%s", mark);
    TEXT_SET(found->a, "runs on");
    TEXT_SET(found->b, "%s", what);
    TEXT_SET(found->note, "%s", note);
    if (tape->is_in_other) {
        TEXT_ADD(found->b, " in the match of %" PRIu32 " player%s beside it", tape->other_players,
                 TOOL_PLURAL(tape->other_players));
    }
    found->is_of_fewer = tape->is_in_other && tape->other_players < baseline->stepper.players;
    if (found->is_of_fewer) {
        TEXT_ADD(found->note,
                 "%sa game that cannot be played by fewer says so in "
                 "bks_game.players_min",
                 note[0] != '\0' ? "; " : "");
    }
}

// Handle a variant whose process ended before it answered.
static int lose_variant(baseline_process *baseline)
{
    end_variant(baseline);
    check_result *result = &baseline->tape->result;
    if ((baseline->kind->process & CHECK_WATCHED) != 0 && !baseline->has_answered) {
        TEXT_SET(result->why, "valgrind cannot run this program: %.200s",
                 baseline->variant.complaint);
        return TOOL_OK;
    }
    if (baseline->variant.status == TOOL_MISUSE || baseline->variant.status == TOOL_DAMAGED) {
        fprintf(stderr, "%s\n", baseline->variant.complaint);
        return baseline->variant.status;
    }
    char note[256];
    char what[64] = "ends";
    TEXT_SET(note, "%.*s", (int)strcspn(baseline->variant.complaint, "\n"),
             baseline->variant.complaint);
    if (baseline->variant.signal != 0) {
        child_crash_text(baseline->variant.signal, what, sizeof(what));
    }
    const bool is_first = baseline->tape->result.same != CHECK_DIFFERS;
    find_end(baseline, what, note);
    check_finding *found = &baseline->tape->result.found;
    found->has_crashed |= is_first;
    if (is_first && !baseline->has_answered && baseline->variant.signal == 0) {
        TEXT_SET(found->written_b.why, "the state could not be made, before any step");
    }
    return TOOL_OK;
}

// Begin a stretch of the baseline's own work, which rest() ends. The command watches for a stretch
// that never ends.
static void work(baseline_process *baseline)
{
    baseline->tape->baseline_most_ns = baseline->timeout.most_ns;
    baseline->tape->stretch = ++baseline->stretches;
}

static void rest(baseline_process *baseline)
{
    baseline->tape->stretch = 0;
}

static int await_variant(baseline_process *baseline, check_allowance allowance)
{
    char why[160];
    code_line line = {0};
    switch (check_timeout_await(&baseline->timeout, allowance, baseline->variant.pid,
                                &baseline->pipe, why, sizeof(why))) {
    case CHECK_ANSWERED:
        return TOOL_OK;
    case CHECK_HANGS:
        check_watch_where(baseline->variant.pid, baseline->tape->variant.code, &line);
        child_kill(baseline->variant.pid);
        end_variant(baseline);
        find_end(baseline, "does not end", why);
        baseline->tape->result.found.written_b = line;
        return TOOL_OK;
    default:
        return lose_variant(baseline);
    }
}

// Return true if the file descriptors of bks check are still open. If the game has closed any,
// print an error to stderr.
static bool has_descriptors(const baseline_process *baseline)
{
    const bool has_variant = baseline->variant.pid != 0;
    const bool has_all = shared_memory_is_open(baseline->task->tape) &&
                         (!has_variant || check_pipe_is_open(&baseline->pipe));
    if (!has_all) {
        tool_complain(baseline->stepper.game.game->name,
                      "closes file descriptors that it did not open, by tick %" PRId32
                      ", expected it to leave those of bks check open",
                      baseline->tape->tick);
    }
    return has_all;
}

static int start_variant(baseline_process *baseline, bks_tick tick)
{
    check_pipe theirs;
    if (!has_descriptors(baseline)) {
        return TOOL_MISUSE;
    }
    end_variant(baseline);
    check_tape_begin(baseline->tape, tick);
    add_mark(baseline, CHECK_MARK_START);
    baseline->tape->has_start = true;
    baseline->tape->result.has_pointers |=
        baseline->tape->mark_count > 0 &&
        stepper_has_pointers(&baseline->stepper, check_tape_states(baseline->tape),
                             (size_t)baseline->tape->marks[0].count);
    if (!check_pipe_make(&baseline->pipe, &theirs)) {
        tool_complain("check", "no descriptors are left for another process");
        return TOOL_DAMAGED;
    }
    const check_task task = {.role = CHECK_VARIANT,
                             .variant = baseline->task->variant,
                             .tape = baseline->task->tape,
                             .pipe = theirs};
    baseline->variant = (child){0};
    const bool is_started = check_task_start(&task, baseline->kind->process, &baseline->variant);
    check_pipe_close(&theirs);
    if (!is_started) {
        check_pipe_close(&baseline->pipe);
        return TOOL_DAMAGED;
    }
    rest(baseline);
    const int status = await_variant(baseline, CHECK_FOR_A_START);
    baseline->has_answered = status == TOOL_OK && baseline->variant.pid != 0;
    return status;
}

// ---- stepping the ticks of the check ----

// Return the number of ticks that each process of a variant steps. If the variant imports the
// state, a new process does so after that many ticks.
static bks_tick ticks_per_variant(const baseline_process *baseline)
{
    const bks_tick ticks = (bks_tick)baseline->stepper.options->ticks;
    if (!baseline->kind->imports) {
        return ticks;
    }
    const bks_tick short_of = ticks / IMPORTS_MIN > 0 ? ticks / IMPORTS_MIN : 1;
    const bks_tick least = short_of < IMPORT_TICKS ? short_of : IMPORT_TICKS;
    // Use an odd number, to find values that alternate from tick to tick.
    return least | 1;
}

// Return true if a new process of the variant takes over at a tick.
static bool is_anew(const baseline_process *baseline, bks_tick tick)
{
    const bks_tick first = (bks_tick)baseline->stepper.options->first;
    if (!baseline->kind->runs_on) {
        return (tick - first) % ticks_per_variant(baseline) == 0;
    }
    const check_options *options = baseline->stepper.options;
    int64_t joins = options->ticks / 3;
    return (options->value == NULL || args_number(options->value, &joins)) && tick == joins;
}

static bool is_over(const baseline_process *baseline)
{
    const check_tape *tape = baseline->tape;
    const bool runs_on = tape->span.is_wanted && baseline->variant.pid != 0;
    return (tape->result.same == CHECK_DIFFERS && !runs_on) || tape->result.why[0] != '\0';
}

// Take the inputs of a tick. A bot is handed the state, so find out if it writes to the state.
// @return false if it does
static bool sample(baseline_process *baseline, bks_tick tick, bks_commands *commands)
{
    check_tape *tape = baseline->tape;
    const check_stepper *stepper = &baseline->stepper;
    const uint64_t most = stepper->state_bytes_max;
    const bool has_bot = stepper->options->recording == NULL &&
                         strcmp(stepper->options->input, "bot") == 0 &&
                         check_tape_room(tape, tape->states_count + most);
    between_steps before;
    if (has_bot) {
        between_steps_begin(stepper, check_tape_states(tape) + tape->states_count, (size_t)most,
                            &before);
    }
    stepper_sample(stepper, tick, tape->inputs, commands);
    if (!has_bot || !between_steps_changed(&before)) {
        return true;
    }
    check_finding *found = &tape->result.found;
    tape->result.same = CHECK_DIFFERS;
    *found = (check_finding){.tick = tick, .mark_index = tape->mark_count};
    TEXT_SET(found->mark, "%s", CHECK_MARK_BETWEEN);
    between_steps_name(&before, found);
    if (found->note[0] == '\0' && baseline->last_mark[0] != '\0') {
        TEXT_SET(found->note,
                 "written after mark %s of tick %" PRId32 " and before the step of tick %" PRId32,
                 baseline->last_mark, baseline->last_tick, tick);
    } else if (found->note[0] == '\0') {
        TEXT_SET(found->note, "written before any mark was reached");
    }
    return false;
}

static int step(baseline_process *baseline, bks_tick tick)
{
    check_tape *tape = baseline->tape;
    bks_commands commands[BKS_PLAYERS_MAX];
    work(baseline);
    line_search_enter(tape);
    if (!sample(baseline, tick, commands)) {
        line_search_leave(tape);
        rest(baseline);
        tape->written_b = tape->written_a[0];
        return TOOL_OK;
    }
    baseline->is_full |= !check_tape_put_commands(tape, commands);
    check_timeout_begin(&baseline->timeout);
    if (baseline->kind->reloads) {
        stepper_reload(&baseline->stepper, tick);
    }
    stepper_step(&baseline->stepper, tick, tape->inputs, commands, tape->failed);
    check_timeout_end(&baseline->timeout);
    if (tape->failed[0] == '\0') {
        add_mark(baseline, CHECK_MARK_END);
        check_tape_hash(tape, 0, baseline->stepper.runner);
    }
    if (baseline->is_full) {
        tool_complain(baseline->stepper.game.game->name,
                      "tick %" PRId32 " leaves %" PRIu32 " marks with states of up to %zu bytes, "
                      "expected at most %d marks and %" PRIu64
                      " bytes a tick: choose a smaller state by --option",
                      tick, tape->mark_count, baseline->stepper.state_bytes_max, CHECK_MARKS_MAX,
                      CHECK_STATES_BYTES);
        return TOOL_MISUSE;
    }
    tape->threads = thread_created_count();
    line_search_leave(tape);
    rest(baseline);
    if (!has_descriptors(baseline)) {
        return TOOL_MISUSE;
    }
    if (baseline->variant.pid == 0) {
        return TOOL_OK; // no variant has been started yet
    }
    const bool is_watched =
        line_search_watch_variant(tape, baseline->variant.pid, &baseline->watch);
    const bool is_asked = check_pipe_ask(&baseline->pipe);
    if (is_watched) {
        line_search_finish(tape, &baseline->watch);
    }
    const int status =
        is_asked ? await_variant(baseline, CHECK_FOR_A_STEP) : lose_variant(baseline);
    if (status != TOOL_OK) {
        return status;
    }
    tape->result.ticks = tick + 1;
    if (tape->failed[0] != '\0' && tape->result.why[0] == '\0' &&
        tape->result.same != CHECK_DIFFERS) {
        TEXT_SET(tape->result.why, "the game failed at tick %" PRId32 " on both sides: %s", tick,
                 tape->failed);
    }
    return TOOL_OK;
}

// Call heap_settle() in the baseline, but only once. The first process of the variant calls it,
// too, after making its state. From then on both heaps give equal addresses.
static void settle_once(baseline_process *baseline)
{
    if (!baseline->has_settled) {
        heap_settle();
    }
    baseline->has_settled = true;
}

static int run(baseline_process *baseline)
{
    const bks_tick ticks = (bks_tick)baseline->stepper.options->ticks;
    int status = TOOL_OK;
    for (bks_tick tick = (bks_tick)baseline->stepper.options->first;
         tick < ticks && status == TOOL_OK && !is_over(baseline); tick++) {
        if (is_anew(baseline, tick)) {
            status = start_variant(baseline, tick);
            settle_once(baseline);
        } else {
            check_tape_begin(baseline->tape, tick);
        }
        if (status == TOOL_OK && !is_over(baseline)) {
            status = step(baseline, tick);
        }
    }
    end_variant(baseline);
    return status;
}

// Import the state at the start of the check_span, if the tape holds one.
static int take_state(baseline_process *baseline)
{
    check_tape *tape = baseline->tape;
    bks_error error = {0};
    if (tape->span.state_bytes > 0 &&
        bks_runner_import(baseline->stepper.runner, check_tape_states(tape),
                          (size_t)tape->span.state_bytes, &error) != BKS_OK) {
        tool_complain_error(baseline->stepper.game.game->name, &error);
        return TOOL_DAMAGED;
    }
    check_tape_hash(tape, 0, baseline->stepper.runner);
    return TOOL_OK;
}

int baseline_main(const check_options *options, const check_variant *kind, const check_task *task,
                  check_tape *tape)
{
    static baseline_process baseline;
    baseline = (baseline_process){.kind = kind, .task = task, .tape = tape};
    work(&baseline);
    check_pipe_begin(); // otherwise a write to a variant that has ended would end this process, too
    heap_settle();
    int status = stepper_load(&baseline.stepper, options);
    if (status == TOOL_OK) {
        line_search_enter_start(tape, (uint64_t)(uintptr_t)baseline.stepper.game.plugin);
        status = stepper_start(&baseline.stepper, hear_mark, &baseline);
        line_search_leave_start(tape);
    }
    if (status == TOOL_OK) {
        status = take_state(&baseline);
    }
    if (status == TOOL_OK) {
        tape->baseline = stepper_addresses(&baseline.stepper);
        check_mathematics_find(tape->mathematics);
        status = run(&baseline);
    }
    if (status == TOOL_OK && options->recording == NULL &&
        source_set_failed(baseline.stepper.sources) != TOOL_OK) {
        status = TOOL_DAMAGED;
    }
    check_result *result = &tape->result;
    if (result->same != CHECK_DIFFERS && result->perturbed > 0) {
        result->same = CHECK_SAME;
    } else if (result->same != CHECK_DIFFERS && result->why[0] == '\0') {
        TEXT_SET(result->why, "there was nothing to vary in %" PRId32 " tick%s", result->ticks,
                 TOOL_PLURAL(result->ticks));
    }
    if (result->same == CHECK_DIFFERS && tape->request.is_wanted) {
        result->found.written_a = tape->written_a[0];
        result->found.written_b = tape->written_b;
        result->found.origin = tape->origin;
        result->found.origin_a = tape->written_a[tape->origin];
        result->found.origin_b = tape->origin_b;
    }
    stepper_close(&baseline.stepper);
    tape->is_finished = true;
    return status;
}
