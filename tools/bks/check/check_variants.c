// SPDX-License-Identifier: MIT

#include "check/check_variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc_count.h"
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

static void load_again(check_guest *guest)
{
    if (!begin_other(guest)) {
        (void)snprintf(guest->tape->result.why, sizeof(guest->tape->result.why),
                       "the game cannot be created twice in one process");
    }
}

static void step_again(check_guest *guest, bks_tick tick)
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

static void step_resim(check_guest *guest, bks_tick tick)
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

// ---- import ----

static const char *why_not_import(const check_side *side)
{
    return side->game.game->pointers
               ? "the state holds raw pointers (bks_game.pointers): no other process can take it"
               : NULL;
}

// ---- fill ----

enum { FILL_HEAP = 0xA5 };

static void prepare_fill(check_guest *guest)
{
    (void)guest;
    alloc_count_fill(FILL_HEAP);
}

static void step_fill(check_guest *guest, bks_tick tick)
{
    guest->side.stack_pattern = (uint8_t)((uint32_t)tick * 89u % 255u + 1u);
    check_guest_step(guest, tick);
    guest->tape->result.perturbed++;
}

// ---- all ----

const check_variant check_variants[] = {
    {
        .name = "again",
        .about = "beside another match in one process: static variables, rand()",
        .counts = "ticks beside another match in the process",
        .cause = "hidden-state",
        .advice = "look for what two matches in one process share: static and global variables, "
                  "rand(), a library's own state; and for what is new each time: a clock, a "
                  "device. Keep it in the state, or ask for it by bks_ask()",
        .loaded = load_again,
        .step = step_again,
    },
    {
        .name = "resim",
        .about = "every tick saved, stepped, restored and stepped again, up to 8 at once: state "
                 "outside the region, a save that misses a field",
        .counts = "ticks stepped again",
        .cause = "hidden-state",
        .advice = "look for what a restored snapshot does not bring back: variables outside the "
                  "state, a field that save or load leaves out",
        .step = step_resim,
    },
    {
        .name = "import",
        .about = "the state taken up by a fresh process that runs on: what only the old process "
                 "knew",
        .counts = "states taken up by a fresh process",
        .cause = "hidden-state",
        .advice = "look for what the state does not hold: static variables that init fills, a "
                  "field that save or load leaves out",
        .imports = true,
        .why_not = why_not_import,
        .step = check_guest_step,
    },
    {
        .name = "fill",
        .about = "fresh heap memory and the stack below each step filled with other bytes: "
                 "uninitialised reads",
        .counts = "ticks with other bytes in fresh memory",
        .cause = "uninitialised",
        .advice = "look for a variable or fresh memory that is read before it is written; "
                  "valgrind or clang's -fsanitize=memory names the line",
        .prepare = prepare_fill,
        .step = step_fill,
    },
};

const uint32_t check_variant_count = sizeof(check_variants) / sizeof(check_variants[0]);
