// SPDX-License-Identifier: MIT

#include "check/vary_time.h"

#include <stdio.h>
#include <string.h>

#include "check/check_guest.h"

// ---- again ----

enum { OTHER_TICKS = 61 };

static bool begin_other(check_guest *guest)
{
    bks_runner_config config = guest->side.config;
    config.marked = NULL;
    config.snapshots = 0;
    config.seed++; // a match like any other
    bks_runner_destroy(guest->other);
    guest->other = NULL;
    return bks_runner_create(&config, &guest->other, NULL) == BKS_OK;
}

void vary_again_loaded(check_guest *guest)
{
    if (!begin_other(guest)) {
        (void)snprintf(guest->tape->result.why, sizeof(guest->tape->result.why),
                       "the game cannot be created twice in one process");
    }
}

void vary_again_step(check_guest *guest, bks_tick tick)
{
    if (guest->other != NULL && tick % OTHER_TICKS == OTHER_TICKS - 1) {
        (void)begin_other(guest);
    }
    if (guest->other != NULL && bks_runner_step(guest->other, tick % OTHER_TICKS,
                                                check_guest_inputs(guest, tick), NULL) == BKS_OK) {
        guest->tape->result.perturbed++;
    }
    check_guest_step(guest, tick);
}

// ---- resim ----

enum { BACK_TICKS = 8 };

// Go back to the state at a tick's start.
static bool go_back(check_guest *guest, bks_tick tick)
{
    bks_error error = {0};
    if (bks_runner_load(guest->side.runner, (uint32_t)tick % BACK_TICKS, &error) != BKS_OK) {
        check_guest_find(guest, guest->tape->tick, CHECK_MARK_START, "was saved", error.text);
        return false;
    }
    return true;
}

void vary_resim_step(check_guest *guest, bks_tick tick)
{
    bks_error error = {0};
    if (bks_runner_save(guest->side.runner, (uint32_t)tick % BACK_TICKS, &error) != BKS_OK) {
        check_guest_find(guest, tick, CHECK_MARK_START, "", error.text);
        return;
    }
    check_guest_step(guest, tick);
    if (!go_back(guest, tick)) {
        return;
    }
    check_guest_step(guest, tick);
    guest->tape->result.perturbed++;
    if (tick % BACK_TICKS == BACK_TICKS - 1 && go_back(guest, tick - BACK_TICKS + 1)) {
        for (bks_tick t = tick - BACK_TICKS + 1; t < tick; t++) {
            check_guest_step_blind(guest, t, check_guest_inputs(guest, t));
        }
        check_guest_step(guest, tick);
        guest->tape->result.perturbed += BACK_TICKS;
    }
}

// ---- rejoin ----

void vary_rejoin_step(check_guest *guest, bks_tick tick)
{
    // The first tick was counted with the state that it begins with.
    const bool is_first = strcmp(guest->tape->marks[0].name, CHECK_MARK_START) == 0;
    check_guest_step(guest, tick);
    guest->tape->result.perturbed += is_first ? 0 : 1;
}

// ---- observed ----

/// Ticks that are stepped with guesses before each tick, and for how long a guess is the same.
enum { AHEAD_TICKS = 3, GUESS_TICKS = 5 };

const char *vary_observed_why_not(const check_guest *guest)
{
    return guest->side.players < 2 ? "with one player nothing is guessed" : NULL;
}

// What a machine might guess whose own player is `self`: of the others anything within the fields'
// ranges.
// @return whether a guess is wrong
static bool guess(const check_guest *guest, bks_tick tick, uint32_t self, int32_t *inputs)
{
    const bks_game *game = guest->side.game.game;
    const size_t count = (size_t)guest->side.players * game->field_count;
    memcpy(inputs, check_guest_inputs(guest, tick), count * sizeof(*inputs));
    for (size_t i = 0; i < count; i++) {
        int32_t least = 0;
        int32_t greatest = 0;
        (void)bks_field_range(&game->fields[i % game->field_count], &least, &greatest);
        if (i / game->field_count != self) {
            inputs[i] = ((uint32_t)tick / GUESS_TICKS + i) % 2 == 0 ? greatest : least;
        }
    }
    return memcmp(inputs, check_guest_inputs(guest, tick), count * sizeof(*inputs)) != 0;
}

void vary_observed_step(check_guest *guest, bks_tick tick)
{
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const bool is_wrong = guess(guest, tick, (uint32_t)tick % guest->side.players, inputs);
    bks_error error = {0};
    if (bks_runner_save(guest->side.runner, 0, &error) != BKS_OK) {
        check_guest_find(guest, tick, CHECK_MARK_START, "", error.text);
        return;
    }
    for (bks_tick t = tick; t < tick + AHEAD_TICKS; t++) {
        check_guest_step_blind(guest, t, inputs);
    }
    if (bks_runner_load(guest->side.runner, 0, &error) != BKS_OK) {
        check_guest_find(guest, tick, CHECK_MARK_START, "was saved", error.text);
        return;
    }
    check_guest_step(guest, tick);
    guest->tape->result.perturbed += is_wrong ? 1 : 0;
}
