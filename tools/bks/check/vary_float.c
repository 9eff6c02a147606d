// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/vary_float.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backstitch/floats.h"
#include "base/tool.h"
#include "check/check_guest.h"
#include "check/check_name.h"
#include "check/check_patience.h"
#include "check/float_catch.h"
#include "map/code_line.h"
#include "map/code_line_dwarf.h"

void vary_float_prepare(check_guest *guest)
{
    (void)guest;
    float_catch_prepare();
}

static const char *why_not(void)
{
    return float_catch_is_possible() ? NULL : "this is done on Linux on x86-64 only";
}

// The mark at which something that happened within a step was seen first.
static char seen_at[CHECK_MARK_BYTES];

static void see(const check_guest *guest)
{
    bks_step_place place;
    if (seen_at[0] == '\0') {
        (void)snprintf(seen_at, sizeof(seen_at), "%s",
                       bks_stepping(&place) ? guest->tape->reached : CHECK_MARK_END);
    }
}

static void set_floats(check_guest *guest, bks_runner_floats floats)
{
    bks_error error = {0};
    if (bks_runner_set_floats(guest->side.runner, floats, &error) != BKS_OK) {
        check_guest_find(guest, guest->tape->tick, CHECK_MARK_START, "", error.text);
    }
}

// Where it was caught, in the game's own code where that is on the stack.
static void write_place(const check_guest *guest, const float_catch *caught, code_line *line,
                        char *out, size_t capacity)
{
    const void *address = code_line_choose(caught->frames, caught->count, guest->side.game.plugin);
    *line = (code_line){0};
    code_line_find(getpid(), (uint64_t)(uintptr_t)address, line);
    if (line->line[0] != '\0') {
        (void)snprintf(out, capacity, "%s (%s)", line->function, line->line);
    } else {
        code_line_write(address, out, capacity);
    }
}

// ---- a copy of the process ----

enum { TRY_S = 8 };

static const uint64_t wait_ns = 200000;

// Steps that are not those of the check are made in a copy of the process. It ends after TRY_S,
// also when the game handles or blocks that signal: threads are not copied, so a step may wait for
// one in vain.
// @return 0 in the copy, -1: there is none
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

// Wait for it, and end it when it waits for a thread. The game may have a timer whose signals
// interrupt.
// @return whether it ended by itself
static bool wait_for_copy(const check_guest *guest, pid_t process)
{
    int status = 0;
    char why[160];
    check_look look;
    pid_t ended = 0;
    check_look_begin(&look, process, CHECK_FOR_A_COPY, guest->tape->baseline_most_ns);
    while (process > 0 && (ended = waitpid(process, &status, WNOHANG)) != process &&
           (ended == 0 || errno == EINTR)) {
        if (check_look_hangs(&look, why, sizeof(why))) {
            (void)kill(process, SIGKILL);
        }
        tool_sleep_ns(wait_ns);
    }
    // Of a game that ignores SIGCHLD there is no status, and it counts as ended by itself.
    return process > 0 && !WIFSIGNALED(status);
}

// ---- float ----

/// Between two ticks that are tried without the guard.
enum { TRY_TICKS = 7 };

/// What a process that steps without the guard came to, in memory that is shared with it.
typedef struct float_trial {
    bool is_done;
    uint64_t hash;
} float_trial;

static float_trial *trial;
static uint32_t trials;
static bool is_sensitive;
static bool cannot_try;
static bool has_begun;

const char *vary_float_why_not(const check_guest *guest)
{
    (void)guest;
    return why_not();
}

// Step the tick without the guard, in a process that ends then: whatever the game keeps outside its
// state stays as it is.
static void try_unguarded(check_guest *guest, bks_tick tick)
{
    *trial = (float_trial){0};
    const pid_t process = make_copy();
    if (process == 0) {
        char why[160];
        set_floats(guest, BKS_RUNNER_FLOATS_AS_THEY_ARE);
        float_setting_choose((uint32_t)tick);
        const bool has_stepped =
            check_guest_step_blind(guest, tick, check_guest_inputs(guest, tick), why);
        float_setting_clear();
        set_floats(guest, BKS_RUNNER_FLOATS_GUARDED);
        trial->hash = has_stepped ? bks_runner_hash(guest->side.runner) : 0;
        trial->is_done = has_stepped;
        _exit(has_stepped ? 0 : 1);
    }
    cannot_try = !wait_for_copy(guest, process);
    if (cannot_try) {
        (void)snprintf(guest->tape->result.info, sizeof(guest->tape->result.info),
                       "a step without the library's guard, in a copy of the process, did not end");
    }
}

static bool begin_trial(check_guest *guest, bks_tick tick)
{
    if (trial == NULL) {
        void *shared =
            mmap(NULL, sizeof(*trial), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        trial = shared != MAP_FAILED ? shared : NULL;
    }
    if (trial == NULL || tick % TRY_TICKS != 0 || is_sensitive || cannot_try) {
        return false;
    }
    try_unguarded(guest, tick);
    return trial->is_done;
}

static void end_trial(check_guest *guest, bks_tick tick)
{
    char *info = guest->tape->result.info;
    const size_t capacity = sizeof(guest->tape->result.info);
    trials++;
    is_sensitive = trial->hash != bks_runner_hash(guest->side.runner);
    if (is_sensitive) {
        (void)snprintf(info, capacity, "without the library's guard tick %" PRId32 " would differ",
                       tick);
    } else {
        (void)snprintf(info, capacity,
                       "without the library's guard none of %" PRIu32 " tick%s tried would differ",
                       trials, TOOL_PLURAL(trials));
    }
}

// Step the tick once more, an instruction at a time.
static void find_change(check_guest *guest, bks_tick tick, code_line *line, char *out,
                        size_t capacity)
{
    float_catch caught = {0};
    if (bks_runner_load(guest->side.runner, 0, NULL) != BKS_OK) {
        return;
    }
    float_setting_clear();
    guest->side.skips_stack = true;
    float_catch_changes(&caught);
    char why[160];
    (void)check_guest_step_blind(guest, tick, check_guest_inputs(guest, tick), why);
    float_catch_changes_end();
    guest->side.skips_stack = false;
    if (caught.count > 0) {
        (void)snprintf(out, capacity, ", in ");
        write_place(guest, &caught, line, out + strlen(out), capacity - strlen(out));
    }
}

static void blame(check_guest *guest, bks_tick tick, const char *call, uint32_t faults,
                  const char *place)
{
    char text[320];
    (void)snprintf(text, sizeof(text), "%s %s%s", call, bks_float_faults_text(faults), place);
    check_guest_find(guest, tick, seen_at[0] != '\0' ? seen_at : CHECK_MARK_END,
                     "the processor calculates as before", text);
}

void vary_float_calm(check_guest *guest)
{
    bks_step_place place;
    if (bks_stepping(&place) && bks_float_faults() != 0) {
        see(guest);
    }
}

void vary_float_step(check_guest *guest, bks_tick tick)
{
    bks_runner *runner = guest->side.runner;
    if (!has_begun && bks_runner_float_faults(runner) != 0) {
        (void)snprintf(seen_at, sizeof(seen_at), "%s", CHECK_MARK_START);
        blame(guest, tick, "its init", bks_runner_float_faults(runner), "");
    }
    has_begun = true;
    const bool is_tried = begin_trial(guest, tick);
    const bool is_saved = bks_runner_save(runner, 0, NULL) == BKS_OK;
    seen_at[0] = '\0';
    float_setting_choose((uint32_t)tick);
    check_guest_step(guest, tick);
    float_setting_clear();
    guest->tape->result.perturbed++;
    const uint32_t faults = bks_runner_float_faults(runner);
    if (is_tried) {
        end_trial(guest, tick);
    }
    if (faults != 0 && !check_guest_has_found(guest)) {
        char place[256] = "";
        code_line line = {0};
        if (is_saved) {
            find_change(guest, tick, &line, place, sizeof(place));
        }
        blame(guest, tick, "it", faults, place);
        guest->tape->result.found.written_b = line;
    }
}

// ---- undefined ----

static float_catch invalid;

const char *vary_undefined_why_not(const check_guest *guest)
{
    (void)guest;
    return why_not();
}

void vary_undefined_calm(check_guest *guest)
{
    if (invalid.is_x87) {
        see(guest);
    }
}

// Step the tick that is saved again, with `most` results replaced at most.
// @return the state's hash, 0: the game failed
static uint64_t step_with(check_guest *guest, bks_tick tick, const int32_t *inputs, uint32_t most)
{
    invalid = (float_catch){0};
    if (bks_runner_load(guest->side.runner, 0, NULL) != BKS_OK) {
        return 0;
    }
    float_catch_invalid(&invalid, most);
    set_floats(guest, BKS_RUNNER_FLOATS_TRAPPED);
    char why[160];
    const bool has_stepped = check_guest_step_blind(guest, tick, inputs, why);
    set_floats(guest, BKS_RUNNER_FLOATS_GUARDED);
    return has_stepped ? bks_runner_hash(guest->side.runner) : 0;
}

// Of the results that are replaced, find one with which the state becomes another; `invalid` has
// its place then.
// @return false: they make no difference
static bool find_guilty(check_guest *guest, bks_tick tick, const int32_t *inputs)
{
    const uint64_t other = step_with(guest, tick, inputs, UINT32_MAX);
    uint32_t good = 0;
    uint32_t bad = invalid.replaced;
    if (bad == 0) {
        return false;
    }
    const uint64_t plain = step_with(guest, tick, inputs, good);
    if (other == plain) {
        return false;
    }
    while (bad - good > 1) {
        const uint32_t middle = good + (bad - good) / 2;
        const bool is_good = step_with(guest, tick, inputs, middle) == plain;
        good = is_good ? middle : good;
        bad = is_good ? bad : middle;
    }
    (void)step_with(guest, tick, inputs, bad);
    return invalid.count > 0;
}

static void note_guilty(check_guest *guest, const char *when)
{
    check_finding *found = &guest->tape->result.found;
    char place[160];
    char note[256];
    write_place(guest, &invalid, &found->written_b, place, sizeof(place));
    (void)snprintf(note, sizeof(note), "after an invalid operation in %s%s%s%.40s", place, when,
                   found->note[0] != '\0' ? "; " : "", found->note);
    (void)snprintf(found->note, sizeof(found->note), "%s", note);
}

// ---- at rest ----

enum { REST_TICKS = 60 };

// Name what differs between the tick stepped plainly and with the guilty result replaced.
static void name_at_rest(check_guest *guest, bks_tick tick, const int32_t *inputs)
{
    const check_side *side = &guest->side;
    const size_t capacity = guest->bytes_capacity;
    uint8_t *plain = malloc(capacity);
    const bks_compared_state b = {.bytes = guest->bytes,
                                  .count = check_side_bytes(side, guest->bytes, capacity)};
    const float_catch caught = invalid;
    (void)step_with(guest, tick, inputs, 0);
    invalid = caught;
    check_guest_find(guest, tick, CHECK_MARK_END, "", "");
    if (plain != NULL) {
        const bks_compared_state a = {.bytes = plain,
                                      .count = check_side_bytes(side, plain, capacity)};
        check_name(&side->game, &a, &b, &guest->tape->result.found);
    }
    free(plain);
    note_guilty(guest, ", when all inputs are neutral");
}

static void step_at_rest(check_guest *guest)
{
    static int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const bks_game *game = guest->side.game.game;
    const int64_t ticks = guest->side.options->ticks;
    for (uint32_t i = 0; i < guest->side.players * game->field_count; i++) {
        inputs[i] = game->fields[i % game->field_count].neutral;
    }
    for (bks_tick tick = 0; tick < REST_TICKS && tick < ticks; tick++) {
        if (bks_runner_save(guest->side.runner, 0, NULL) != BKS_OK) {
            return;
        }
        if (find_guilty(guest, tick, inputs)) {
            name_at_rest(guest, tick, inputs);
            return;
        }
    }
}

// What was found so. It counts where the inputs of the check find nothing.
static check_result at_rest;

// Random inputs are hardly ever neutral. These steps are not those of the check, so they are
// made in a process that ends then; what it finds it writes onto the tape.
static void try_rest(check_guest *guest)
{
    check_result *result = &guest->tape->result;
    const check_result before = *result;
    const pid_t process = make_copy();
    if (process == 0) {
        step_at_rest(guest);
        _exit(0);
    }
    const bool has_ended = wait_for_copy(guest, process);
    at_rest = *result;
    *result = before;
    if (!has_ended) {
        (void)snprintf(result->info, sizeof(result->info),
                       "ticks with neutral inputs, in a copy of the process, did not end");
    }
}

void vary_undefined_step(check_guest *guest, bks_tick tick)
{
    char text[256] = "an invalid operation in ";
    if (tick == 0) {
        try_rest(guest);
    }
    invalid = (float_catch){0};
    seen_at[0] = '\0';
    const bool is_saved = bks_runner_save(guest->side.runner, 0, NULL) == BKS_OK;
    float_catch_invalid(&invalid, UINT32_MAX);
    set_floats(guest, BKS_RUNNER_FLOATS_TRAPPED);
    check_guest_step(guest, tick);
    set_floats(guest, BKS_RUNNER_FLOATS_GUARDED);
    guest->tape->result.perturbed++;
    check_finding *found = &guest->tape->result.found;
    if (invalid.is_x87) {
        code_line line;
        write_place(guest, &invalid, &line, text + strlen(text), sizeof(text) - strlen(text));
        check_guest_find(guest, tick, seen_at[0] != '\0' ? seen_at : CHECK_MARK_END,
                         "every number that a calculation gives is one", text);
        found->written_b = line;
    } else if (check_guest_has_found(guest) && found->written_b.line[0] == '\0' && is_saved &&
               find_guilty(guest, tick, check_guest_inputs(guest, tick))) {
        note_guilty(guest, "");
    }
    const bool is_last = tick + 1 == guest->side.options->ticks || guest->tape->failed[0] != '\0';
    if (is_last && !check_guest_has_found(guest) && at_rest.same == CHECK_DIFFERS) {
        guest->tape->result.same = at_rest.same;
        guest->tape->result.found = at_rest.found;
    }
}
