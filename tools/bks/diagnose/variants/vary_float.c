// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/variants/variants.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <fenv.h>
#include <x86intrin.h>
#endif
#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "backstitch/det.h"
#include "base/process.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/processes/check_timeout.h"
#include "diagnose/processes/variant_process.h"
#include "diagnose/variants/cast_catch.h"
#include "diagnose/variants/float_catch.h"
#include "map/code_line.h"

// ---- floating-point settings of the processor ----

#if defined(__x86_64__)

static const bool has_settings = true;

/// Number of floating-point settings to try. Other libraries may leave such settings behind.
enum { FLOAT_SETTINGS = 6 };

enum {
    SSE_FLUSHES = 0x8040, // bits FTZ and DAZ of MXCSR
    X87_24_BITS = 0x007f,
};

static void choose_setting(uint32_t which)
{
    static const int roundings[FLOAT_SETTINGS] = {FE_UPWARD,    FE_DOWNWARD,  FE_TOWARDZERO,
                                                  FE_TONEAREST, FE_TONEAREST, FE_UPWARD};
    const uint32_t setting = which % FLOAT_SETTINGS;
    (void)fesetround(roundings[setting]);
    if (setting == 3 || setting == 5) {
        _mm_setcsr(_mm_getcsr() | SSE_FLUSHES);
    }
    if (setting == 4) {
        const uint16_t word = X87_24_BITS;
        __asm__ volatile("fldcw %0" : : "m"(word));
    }
}

static void clear_setting(void)
{
    (void)fesetenv(FE_DFL_ENV);
}

#else

static const bool has_settings = false;

static void choose_setting(uint32_t which)
{
    (void)which;
}

static void clear_setting(void)
{
}

#endif

// ---- a copy of the process ----
//
// Steps that are not part of the check are made in a copy of the process, so that they do not
// change data outside the state.

#ifndef _WIN32

static const bool has_copies = true;

enum { TRY_S = 8 };

static const uint64_t wait_ns = 200000;

static pid_t make_copy(void)
{
    const pid_t process = fork();
    if (process == 0) {
        sigset_t alarms;
        (void)sigemptyset(&alarms);
        (void)sigaddset(&alarms, SIGALRM);
        (void)signal(SIGALRM, SIG_DFL);
        (void)sigprocmask(SIG_UNBLOCK, &alarms, NULL);
        (void)alarm(TRY_S);
    }
    return process;
}

// Wait until a copy of the process has ended. Call waitpid() again after EINTR, because a timer of
// the game may send signals.
static bool await_copy(const variant_process *variant, pid_t process)
{
    int status = 0;
    char why[160];
    check_observer observer;
    pid_t ended = 0;
    check_observer_begin(&observer, process, CHECK_FOR_A_COPY, variant->tape->baseline_most_ns);
    while (process > 0 && (ended = waitpid(process, &status, WNOHANG)) != process &&
           (ended == 0 || errno == EINTR)) {
        if (check_observer_hangs(&observer, why, sizeof(why))) {
            (void)kill(process, SIGKILL);
        }
        tool_sleep_ns(wait_ns);
    }
    // If the game ignores SIGCHLD, no exit status is available, and the copy counts as not killed
    // by a signal.
    return process > 0 && !WIFSIGNALED(status);
}

#else

static const bool has_copies = false;

static pid_t make_copy(void)
{
    return -1;
}

static bool await_copy(const variant_process *variant, pid_t process)
{
    (void)variant, (void)process;
    return false;
}

#endif

// ---- code that the variants `float` and `undefined` share ----

static char seen_at[CHECK_MARK_BYTES];

static void see(const variant_process *variant)
{
    bks_step_place place;
    if (seen_at[0] == '\0') {
        TEXT_SET(seen_at, "%s", bks_stepping(&place) ? variant->tape->reached : CHECK_MARK_END);
    }
}

static void guard(variant_process *variant, bks_runner_floats floats)
{
    bks_error error = {0};
    if (bks_runner_set_floats(variant->stepper.runner, floats, &error) != BKS_OK) {
        variant_find(variant, variant->tape->tick, CHECK_MARK_START, "", error.text);
    }
}

static void name_place(const variant_process *variant, const float_catch *caught, code_line *line,
                       char *out, size_t capacity)
{
    const void *address =
        code_line_choose(caught->frames, caught->count, variant->stepper.game.plugin);
    *line = (code_line){0};
    code_line_find(getpid(), (uint64_t)(uintptr_t)address, line);
    if (line->line[0] != '\0') {
        (void)snprintf(out, capacity, "%s (%s)", line->function, line->line);
    } else {
        code_line_write(address, out, capacity);
    }
}

static void prepare_float(variant_process *variant)
{
    (void)variant;
    float_catch_prepare();
}

// ---- the variant `float` ----

/// Number of ticks from one trial without the floating-point guard to the next.
enum { TRY_TICKS = 7 };

/// Result of a trial: a tick stepped without the floating-point guard in a copy of the process. The
/// result lies in shared memory.
typedef struct float_trial {
    bool is_done;
    uint64_t hash;
} float_trial;

static float_trial *trial;
static uint32_t trials;
static bool is_sensitive;
static bool cannot_try;
static bool has_begun;

static const char *why_not_float(const variant_process *variant)
{
    (void)variant;
    return has_settings ? NULL : "this is done on x86-64 only";
}

// Step a tick without the floating-point guard, in a copy of the process.
static void try_unguarded(variant_process *variant, bks_tick tick)
{
    *trial = (float_trial){0};
    const pid_t process = make_copy();
    if (process == 0) {
        char why[160];
        guard(variant, BKS_RUNNER_FLOATS_AS_THEY_ARE);
        choose_setting((uint32_t)tick);
        const bool has_stepped =
            variant_step_blind(variant, tick, variant_inputs(variant, tick), why);
        clear_setting();
        guard(variant, BKS_RUNNER_FLOATS_GUARDED);
        trial->hash = has_stepped ? bks_runner_hash(variant->stepper.runner) : 0;
        trial->is_done = has_stepped;
        _exit(has_stepped ? 0 : 1);
    }
    cannot_try = !await_copy(variant, process);
    if (cannot_try) {
        TEXT_SET(variant->tape->result.info,
                 "a step without the library's guard, in a copy of the process, did not end");
    }
}

static bool begin_trial(variant_process *variant, bks_tick tick)
{
    if (trial == NULL && has_copies) {
        const int number = shared_memory_make(sizeof(*trial));
        trial = number >= 0 ? shared_memory_map(number, sizeof(*trial)) : NULL;
        if (trial != NULL && !shared_memory_ready(trial, sizeof(*trial))) {
            shared_memory_unmap(trial, sizeof(*trial));
            trial = NULL;
        }
        if (number >= 0) {
            shared_memory_close(number);
        }
    }
    if (trial == NULL || tick % TRY_TICKS != 0 || is_sensitive || cannot_try) {
        return false;
    }
    try_unguarded(variant, tick);
    return trial->is_done;
}

static void end_trial(variant_process *variant, bks_tick tick)
{
    char *info = variant->tape->result.info;
    const size_t capacity = sizeof(variant->tape->result.info);
    trials++;
    is_sensitive = trial->hash != bks_runner_hash(variant->stepper.runner);
    if (is_sensitive) {
        (void)snprintf(info, capacity, "without the library's guard tick %" PRId32 " would differ",
                       tick);
    } else {
        (void)snprintf(info, capacity,
                       "without the library's guard none of %" PRIu32 " tick%s tried would differ",
                       trials, TOOL_PLURAL(trials));
    }
}

// Find the instruction that changes the floating-point environment: step the tick again, one
// instruction at a time.
static void find_change(variant_process *variant, bks_tick tick, code_line *line, char *out,
                        size_t capacity)
{
    float_catch caught = {0};
    if (bks_runner_load(variant->stepper.runner, 0, NULL) != BKS_OK) {
        return;
    }
    clear_setting();
    variant->stepper.skips_stack = true;
    float_catch_changes(&caught);
    char why[160];
    (void)variant_step_blind(variant, tick, variant_inputs(variant, tick), why);
    float_catch_changes_end();
    variant->stepper.skips_stack = false;
    if (caught.count > 0) {
        (void)snprintf(out, capacity, ", in ");
        name_place(variant, &caught, line, out + strlen(out), capacity - strlen(out));
    }
}

static void blame(variant_process *variant, bks_tick tick, const char *call, uint32_t faults,
                  const char *place)
{
    char text[320];
    TEXT_SET(text, "%s %s%s", call, bks_float_faults_text(faults), place);
    variant_find(variant, tick, seen_at[0] != '\0' ? seen_at : CHECK_MARK_END,
                 "the processor calculates as before", text);
}

static void note_changes(variant_process *variant)
{
    bks_step_place place;
    if (bks_stepping(&place) && bks_float_faults() != 0) {
        see(variant);
    }
}

static void step_float(variant_process *variant, bks_tick tick)
{
    bks_runner *runner = variant->stepper.runner;
    if (!has_begun && bks_runner_float_faults(runner) != 0) {
        (void)snprintf(seen_at, CHECK_MARK_BYTES, "%s", CHECK_MARK_START);
        blame(variant, tick, "its init", bks_runner_float_faults(runner), "");
    }
    has_begun = true;
    const bool is_tried = begin_trial(variant, tick);
    const bool is_saved = bks_runner_save(runner, 0, NULL) == BKS_OK;
    seen_at[0] = '\0';
    choose_setting((uint32_t)tick);
    variant_step(variant, tick);
    clear_setting();
    variant->tape->result.perturbed++;
    const uint32_t faults = bks_runner_float_faults(runner);
    if (is_tried) {
        end_trial(variant, tick);
    }
    if (faults != 0 && !variant_has_found(variant)) {
        char place[256] = "";
        code_line line = {0};
        if (is_saved) {
            find_change(variant, tick, &line, place, sizeof(place));
        }
        blame(variant, tick, "it", faults, place);
        variant->tape->result.found.written_b = line;
    }
}

// ---- the variant `undefined` ----

static float_catch invalid;
static cast_catch cast;

static const char *why_not_undefined(const variant_process *variant)
{
    (void)variant;
    return float_catch_is_possible() ? NULL : "this is done on Linux on x86-64 only";
}

static void note_invalid(variant_process *variant)
{
    if (invalid.is_x87 || cast.address != NULL) {
        see(variant);
    }
}

// Step the saved tick again, and replace the results of at most `most` invalid operations.
// @return the state's hash, 0 if the game failed
static uint64_t step_with(variant_process *variant, bks_tick tick, const int32_t *inputs,
                          uint32_t most)
{
    invalid = (float_catch){0};
    if (bks_runner_load(variant->stepper.runner, 0, NULL) != BKS_OK) {
        return 0;
    }
    float_catch_invalid(&invalid, most);
    guard(variant, BKS_RUNNER_FLOATS_TRAPPED);
    char why[160];
    const bool has_stepped = variant_step_blind(variant, tick, inputs, why);
    guard(variant, BKS_RUNNER_FLOATS_GUARDED);
    return has_stepped ? bks_runner_hash(variant->stepper.runner) : 0;
}

// Find, by bisection, one invalid operation whose replaced result changes the state. `invalid`
// receives its place.
// @return false if no replaced result changes the state
static bool find_guilty(variant_process *variant, bks_tick tick, const int32_t *inputs)
{
    const uint64_t other = step_with(variant, tick, inputs, UINT32_MAX);
    uint32_t good = 0;
    uint32_t bad = invalid.replaced;
    if (bad == 0) {
        return false;
    }
    const uint64_t plain = step_with(variant, tick, inputs, good);
    if (other == plain) {
        return false;
    }
    while (bad - good > 1) {
        const uint32_t middle = good + (bad - good) / 2;
        const bool is_good = step_with(variant, tick, inputs, middle) == plain;
        good = is_good ? middle : good;
        bad = is_good ? bad : middle;
    }
    (void)step_with(variant, tick, inputs, bad);
    return invalid.count > 0;
}

static void note_guilty(variant_process *variant, const char *when)
{
    check_finding *found = &variant->tape->result.found;
    char place[160];
    char note[256];
    name_place(variant, &invalid, &found->written_b, place, sizeof(place));
    TEXT_SET(note, "after an invalid operation in %s%s%s%.40s", place, when,
             found->note[0] != '\0' ? "; " : "", found->note);
    TEXT_SET(found->note, "%s", note);
}

// ---- steps with neutral inputs ----

enum { REST_TICKS = 60 };

// Name the field that differs between two ways to step the tick: plainly, and with one result
// replaced.
static void name_at_rest(variant_process *variant, bks_tick tick, const int32_t *inputs)
{
    const check_stepper *stepper = &variant->stepper;
    const size_t capacity = variant->bytes_capacity;
    uint8_t *plain = malloc(capacity);
    const bks_compared_state b = {.bytes = variant->bytes,
                                  .count = stepper_bytes(stepper, variant->bytes, capacity)};
    const float_catch caught = invalid;
    (void)step_with(variant, tick, inputs, 0);
    invalid = caught;
    variant_find(variant, tick, CHECK_MARK_END, "", "");
    if (plain != NULL) {
        const bks_compared_state a = {.bytes = plain,
                                      .count = stepper_bytes(stepper, plain, capacity)};
        variant_name(&stepper->game, &a, &b, &variant->tape->result.found);
    }
    free(plain);
    note_guilty(variant, ", when all inputs are neutral");
}

static void step_at_rest(variant_process *variant)
{
    static int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const bks_game *game = variant->stepper.game.game;
    const int64_t ticks = variant->stepper.options->ticks;
    for (uint32_t i = 0; i < variant->stepper.players * game->field_count; i++) {
        inputs[i] = game->fields[i % game->field_count].neutral;
    }
    for (bks_tick tick = 0; tick < REST_TICKS && tick < ticks; tick++) {
        if (bks_runner_save(variant->stepper.runner, 0, NULL) != BKS_OK) {
            return;
        }
        if (find_guilty(variant, tick, inputs)) {
            name_at_rest(variant, tick, inputs);
            return;
        }
    }
}

// Result of steps with neutral inputs. It is used if the inputs of the check find nothing.
static check_result at_rest;

// Step ticks with neutral inputs, which random inputs hardly ever are. Do it in a copy of the
// process, which writes its result onto the tape.
static void try_rest(variant_process *variant)
{
    check_result *result = &variant->tape->result;
    const check_result before = *result;
    const pid_t process = make_copy();
    if (process == 0) {
        step_at_rest(variant);
        _exit(0);
    }
    const bool has_ended = await_copy(variant, process);
    at_rest = *result;
    *result = before;
    if (!has_ended) {
        TEXT_SET(result->info, "ticks with neutral inputs, in a copy of the process, did not end");
    }
}

// Record a conversion that a check of the compiler's caught.
static void blame_cast(variant_process *variant, bks_tick tick)
{
    variant_find(variant, tick, seen_at[0] != '\0' ? seen_at : CHECK_MARK_END,
                 "every number fits into its integer", cast.text);
    code_line_find(getpid(), (uint64_t)(uintptr_t)cast.address,
                   &variant->tape->result.found.written_b);
}

static void step_undefined(variant_process *variant, bks_tick tick)
{
    char text[256] = "an invalid operation in ";
    if (tick == 0) {
        try_rest(variant);
    }
    invalid = (float_catch){0};
    cast = (cast_catch){0};
    seen_at[0] = '\0';
    const bool is_saved = bks_runner_save(variant->stepper.runner, 0, NULL) == BKS_OK;
    float_catch_invalid(&invalid, UINT32_MAX);
    cast_catch_begin(&cast);
    guard(variant, BKS_RUNNER_FLOATS_TRAPPED);
    variant_step(variant, tick);
    cast_catch_begin(NULL);
    guard(variant, BKS_RUNNER_FLOATS_GUARDED);
    variant->tape->result.perturbed++;
    check_finding *found = &variant->tape->result.found;
    if (invalid.is_x87) {
        code_line line;
        name_place(variant, &invalid, &line, text + strlen(text), sizeof(text) - strlen(text));
        variant_find(variant, tick, seen_at[0] != '\0' ? seen_at : CHECK_MARK_END,
                     "every number that a calculation gives is one", text);
        found->written_b = line;
    } else if (variant_has_found(variant) && found->written_b.line[0] == '\0' && is_saved &&
               find_guilty(variant, tick, variant_inputs(variant, tick))) {
        note_guilty(variant, "");
    } else if (cast.address != NULL && !variant_has_found(variant)) {
        blame_cast(variant, tick);
    }
    const bool is_last =
        tick + 1 == variant->stepper.options->ticks || variant->tape->failed[0] != '\0';
    if (is_last && !variant_has_found(variant) && at_rest.same == CHECK_DIFFERS) {
        variant->tape->result.same = at_rest.same;
        variant->tape->result.found = at_rest.found;
    }
}

const check_variant vary_float = {
    .name = "float",
    .about = "rounding mode, flushing of denormals or x87 precision changed before each step, "
             "which the library must restore; steps that change them are named",
    .unit = "tick",
    .perturbed = "begun with other settings of the processor",
    .cause = "float",
    .advice = "look for a library that sets how the processor calculates (FTZ, rounding) and "
              "restore it behind the call: bks_float_enter(), bks_float_leave()",
    .before_load = prepare_float,
    .why_not = why_not_float,
    .step = step_float,
    .before_compare = note_changes,
};

const check_variant vary_undefined = {
    .name = "undefined",
    .about = "invalid floating-point operations give the results of other processors: NaNs, and "
             "conversions of numbers that do not fit into an integer",
    .unit = "tick",
    .perturbed = "as on another processor",
    .cause = "float",
    .advice = "clamp a number before it becomes an integer, and a divisor before it divides: "
              "what comes of it differs between processors",
    .before_load = prepare_float,
    .why_not = why_not_undefined,
    .step = step_undefined,
    .before_compare = note_invalid,
};
