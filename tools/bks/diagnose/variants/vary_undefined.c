// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_undefined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diagnose/processes/check_copy.h"
#include "diagnose/processes/check_guest.h"
#include "diagnose/processes/check_name.h"
#include "diagnose/variants/vary_float_parts.h"

static float_catch invalid;

const char *vary_undefined_why_not(const check_guest *guest)
{
    (void)guest;
    return float_catch_is_possible() ? NULL : "this is done on Linux on x86-64 only";
}

void vary_undefined_calm(check_guest *guest)
{
    if (invalid.is_x87) {
        vary_float_see(guest);
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
    vary_float_guard(guest, BKS_RUNNER_FLOATS_TRAPPED);
    char why[160];
    const bool has_stepped = check_guest_step_blind(guest, tick, inputs, why);
    vary_float_guard(guest, BKS_RUNNER_FLOATS_GUARDED);
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
    vary_float_place(guest, &invalid, &found->written_b, place, sizeof(place));
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
    const pid_t process = check_copy_make();
    if (process == 0) {
        step_at_rest(guest);
        _exit(0);
    }
    const bool has_ended = check_copy_wait(guest, process);
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
    vary_float_seen_at()[0] = '\0';
    const bool is_saved = bks_runner_save(guest->side.runner, 0, NULL) == BKS_OK;
    float_catch_invalid(&invalid, UINT32_MAX);
    vary_float_guard(guest, BKS_RUNNER_FLOATS_TRAPPED);
    check_guest_step(guest, tick);
    vary_float_guard(guest, BKS_RUNNER_FLOATS_GUARDED);
    guest->tape->result.perturbed++;
    check_finding *found = &guest->tape->result.found;
    if (invalid.is_x87) {
        code_line line;
        const char *seen_at = vary_float_seen_at();
        vary_float_place(guest, &invalid, &line, text + strlen(text), sizeof(text) - strlen(text));
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
