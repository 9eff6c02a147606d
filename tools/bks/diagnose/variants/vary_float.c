// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_float.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backstitch/det.h"
#include "base/process.h"
#include "base/tool.h"
#include "diagnose/processes/check_copy.h"
#include "diagnose/processes/variant_process.h"
#include "diagnose/variants/float_setting.h"
#include "diagnose/variants/vary_float_parts.h"

void vary_float_prepare(variant_process *variant)
{
    (void)variant;
    float_catch_prepare();
}

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

const char *vary_float_why_not(const variant_process *variant)
{
    (void)variant;
    return float_setting_is_possible() ? NULL : "this is done on x86-64 only";
}

// Step the tick without the guard, in a process that ends then: whatever the game keeps outside its
// state stays as it is.
static void try_unguarded(variant_process *variant, bks_tick tick)
{
    *trial = (float_trial){0};
    const pid_t process = check_copy_make();
    if (process == 0) {
        char why[160];
        vary_float_guard(variant, BKS_RUNNER_FLOATS_AS_THEY_ARE);
        float_setting_choose((uint32_t)tick);
        const bool has_stepped =
            variant_step_blind(variant, tick, variant_inputs(variant, tick), why);
        float_setting_clear();
        vary_float_guard(variant, BKS_RUNNER_FLOATS_GUARDED);
        trial->hash = has_stepped ? bks_runner_hash(variant->stepper.runner) : 0;
        trial->is_done = has_stepped;
        _exit(has_stepped ? 0 : 1);
    }
    cannot_try = !check_copy_wait(variant, process);
    if (cannot_try) {
        (void)snprintf(variant->tape->result.info, sizeof(variant->tape->result.info),
                       "a step without the library's guard, in a copy of the process, did not end");
    }
}

static bool begin_trial(variant_process *variant, bks_tick tick)
{
    if (trial == NULL && check_copy_is_possible()) {
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

// Step the tick once more, an instruction at a time.
static void find_change(variant_process *variant, bks_tick tick, code_line *line, char *out,
                        size_t capacity)
{
    float_catch caught = {0};
    if (bks_runner_load(variant->stepper.runner, 0, NULL) != BKS_OK) {
        return;
    }
    float_setting_clear();
    variant->stepper.skips_stack = true;
    float_catch_changes(&caught);
    char why[160];
    (void)variant_step_blind(variant, tick, variant_inputs(variant, tick), why);
    float_catch_changes_end();
    variant->stepper.skips_stack = false;
    if (caught.count > 0) {
        (void)snprintf(out, capacity, ", in ");
        vary_float_place(variant, &caught, line, out + strlen(out), capacity - strlen(out));
    }
}

static void blame(variant_process *variant, bks_tick tick, const char *call, uint32_t faults,
                  const char *place)
{
    char text[320];
    (void)snprintf(text, sizeof(text), "%s %s%s", call, bks_float_faults_text(faults), place);
    const char *seen_at = vary_float_seen_at();
    variant_find(variant, tick, seen_at[0] != '\0' ? seen_at : CHECK_MARK_END,
                 "the processor calculates as before", text);
}

void vary_float_calm(variant_process *variant)
{
    bks_step_place place;
    if (bks_stepping(&place) && bks_float_faults() != 0) {
        vary_float_see(variant);
    }
}

void vary_float_step(variant_process *variant, bks_tick tick)
{
    bks_runner *runner = variant->stepper.runner;
    if (!has_begun && bks_runner_float_faults(runner) != 0) {
        (void)snprintf(vary_float_seen_at(), CHECK_MARK_BYTES, "%s", CHECK_MARK_START);
        blame(variant, tick, "its init", bks_runner_float_faults(runner), "");
    }
    has_begun = true;
    const bool is_tried = begin_trial(variant, tick);
    const bool is_saved = bks_runner_save(runner, 0, NULL) == BKS_OK;
    vary_float_seen_at()[0] = '\0';
    float_setting_choose((uint32_t)tick);
    variant_step(variant, tick);
    float_setting_clear();
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
