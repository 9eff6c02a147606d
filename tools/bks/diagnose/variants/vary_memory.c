// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_memory.h"

#include <stdio.h>

#include "backstitch/toolkit/state_map.h"
#include "base/heap.h"
#include "base/system.h"
#include "diagnose/processes/variant_process.h"

// ---- fill ----

enum { FILL_HEAP = 0xA5 };

void vary_fill_prepare(variant_process *variant)
{
    variant->stepper.stack_pattern = FILL_HEAP;
    alloc_count_fill(FILL_HEAP);
    if (!alloc_count_works()) {
        (void)snprintf(variant->tape->result.info, sizeof(variant->tape->result.info),
                       "the stack alone: this bks does not see the heap");
    }
}

void vary_fill_step(variant_process *variant, bks_tick tick)
{
    variant->stepper.stack_pattern = (uint8_t)((uint32_t)tick * 89u % 255u + 1u);
    variant_step(variant, tick);
    variant->tape->result.perturbed++;
}

// ---- address ----

enum { APART_BYTES = 5 * 4096 };

void vary_address_prepare(variant_process *variant)
{
    system_take_place(variant->tape->addresses.code);
}

void vary_address_loaded(variant_process *variant)
{
    (void)variant;
    system_take_addresses(APART_BYTES);
    if (alloc_count_works()) {
        heap_reverse_begin();
    }
}

const char *vary_address_why_not(const variant_process *variant)
{
    const check_addresses here = stepper_addresses(&variant->stepper);
    const check_addresses *there = &variant->tape->addresses;
    return here.state == there->state && here.code == there->code
               ? "this system puts every process at the same addresses"
               : NULL;
}

// ---- freed ----

enum { SCRAMBLED = 0xD5 };

static bks_arena *arena_of(const variant_process *variant)
{
    // The stepper's own state, const only for those who look at it.
    void *state = (void *)(uintptr_t)bks_runner_state(variant->stepper.runner);
    return bks_arena_of(state, variant->stepper.game.game->root_bytes);
}

const char *vary_freed_why_not(const variant_process *variant)
{
    const bks_game *game = variant->stepper.game.game;
    if (game->create != NULL || game->root_bytes == 0) {
        return "the state has no arena and so no pools";
    }
    bks_arena *arena = arena_of(variant);
    return bks_arena_inspect(arena, NULL, 0) == 0 ? "the arena has no pools" : NULL;
}

void vary_freed_calm(variant_process *variant)
{
    variant->calmed = bks_arena_fill_free(arena_of(variant), 0);
}

void vary_freed_stir(variant_process *variant)
{
    variant->tape->result.perturbed +=
        bks_arena_fill_free(arena_of(variant), SCRAMBLED) - variant->calmed;
}
