// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_undefined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diagnose/processes/check_copy.h"
#include "diagnose/processes/check_name.h"
#include "diagnose/processes/variant_process.h"
#include "diagnose/variants/vary_float_parts.h"

static float_catch invalid;

const char *vary_undefined_why_not(const variant_process *variant)
{
    (void)variant;
    return float_catch_is_possible() ? NULL : "this is done on Linux on x86-64 only";
}

void vary_undefined_calm(variant_process *variant)
{
    if (invalid.is_x87) {
        vary_float_see(variant);
    }
}

// Step the tick that is saved again, with `most` results replaced at most.
// @return the state's hash, 0: the game failed
static uint64_t step_with(variant_process *variant, bks_tick tick, const int32_t *inputs,
                          uint32_t most)
{
    invalid = (float_catch){0};
    if (bks_runner_load(variant->stepper.runner, 0, NULL) != BKS_OK) {
        return 0;
    }
    float_catch_invalid(&invalid, most);
    vary_float_guard(variant, BKS_RUNNER_FLOATS_TRAPPED);
    char why[160];
    const bool has_stepped = variant_step_blind(variant, tick, inputs, why);
    vary_float_guard(variant, BKS_RUNNER_FLOATS_GUARDED);
    return has_stepped ? bks_runner_hash(variant->stepper.runner) : 0;
}

// Of the results that are replaced, find one with which the state becomes another; `invalid` has
// its place then.
// @return false: they make no difference
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
    vary_float_place(variant, &invalid, &found->written_b, place, sizeof(place));
    (void)snprintf(note, sizeof(note), "after an invalid operation in %s%s%s%.40s", place, when,
                   found->note[0] != '\0' ? "; " : "", found->note);
    (void)snprintf(found->note, sizeof(found->note), "%s", note);
}

// ---- at rest ----

enum { REST_TICKS = 60 };

// Name what differs between the tick stepped plainly and with the guilty result replaced.
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
        check_name(&stepper->game, &a, &b, &variant->tape->result.found);
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

// What was found so. It counts where the inputs of the check find nothing.
static check_result at_rest;

// Random inputs are hardly ever neutral. These steps are not those of the check, so they are
// made in a process that ends then; what it finds it writes onto the tape.
static void try_rest(variant_process *variant)
{
    check_result *result = &variant->tape->result;
    const check_result before = *result;
    const pid_t process = check_copy_make();
    if (process == 0) {
        step_at_rest(variant);
        _exit(0);
    }
    const bool has_ended = check_copy_wait(variant, process);
    at_rest = *result;
    *result = before;
    if (!has_ended) {
        (void)snprintf(result->info, sizeof(result->info),
                       "ticks with neutral inputs, in a copy of the process, did not end");
    }
}

void vary_undefined_step(variant_process *variant, bks_tick tick)
{
    char text[256] = "an invalid operation in ";
    if (tick == 0) {
        try_rest(variant);
    }
    invalid = (float_catch){0};
    vary_float_seen_at()[0] = '\0';
    const bool is_saved = bks_runner_save(variant->stepper.runner, 0, NULL) == BKS_OK;
    float_catch_invalid(&invalid, UINT32_MAX);
    vary_float_guard(variant, BKS_RUNNER_FLOATS_TRAPPED);
    variant_step(variant, tick);
    vary_float_guard(variant, BKS_RUNNER_FLOATS_GUARDED);
    variant->tape->result.perturbed++;
    check_finding *found = &variant->tape->result.found;
    if (invalid.is_x87) {
        code_line line;
        const char *seen_at = vary_float_seen_at();
        vary_float_place(variant, &invalid, &line, text + strlen(text),
                         sizeof(text) - strlen(text));
        variant_find(variant, tick, seen_at[0] != '\0' ? seen_at : CHECK_MARK_END,
                     "every number that a calculation gives is one", text);
        found->written_b = line;
    } else if (variant_has_found(variant) && found->written_b.line[0] == '\0' && is_saved &&
               find_guilty(variant, tick, variant_inputs(variant, tick))) {
        note_guilty(variant, "");
    }
    const bool is_last =
        tick + 1 == variant->stepper.options->ticks || variant->tape->failed[0] != '\0';
    if (is_last && !variant_has_found(variant) && at_rest.same == CHECK_DIFFERS) {
        variant->tape->result.same = at_rest.same;
        variant->tape->result.found = at_rest.found;
    }
}
