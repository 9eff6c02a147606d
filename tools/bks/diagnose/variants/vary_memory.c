// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_memory.h"

#include <stdio.h>

#include "backstitch/toolkit/state_map.h"
#include "base/heap.h"
#include "base/system.h"
#include "diagnose/processes/check_guest.h"

// ---- fill ----

enum { FILL_HEAP = 0xA5 };

void vary_fill_prepare(check_guest *guest)
{
    guest->side.stack_pattern = FILL_HEAP;
    alloc_count_fill(FILL_HEAP);
    if (!alloc_count_works()) {
        (void)snprintf(guest->tape->result.info, sizeof(guest->tape->result.info),
                       "the stack alone: this bks does not see the heap");
    }
}

void vary_fill_step(check_guest *guest, bks_tick tick)
{
    guest->side.stack_pattern = (uint8_t)((uint32_t)tick * 89u % 255u + 1u);
    check_guest_step(guest, tick);
    guest->tape->result.perturbed++;
}

// ---- address ----

enum { APART_BYTES = 5 * 4096 };

void vary_address_prepare(check_guest *guest)
{
    system_take_place(guest->tape->addresses.code);
}

void vary_address_loaded(check_guest *guest)
{
    (void)guest;
    system_take_addresses(APART_BYTES);
    if (alloc_count_works()) {
        heap_reverse_begin();
    }
}

const char *vary_address_why_not(const check_guest *guest)
{
    const check_addresses here = check_side_addresses(&guest->side);
    const check_addresses *there = &guest->tape->addresses;
    return here.state == there->state && here.code == there->code
               ? "this system puts every process at the same addresses"
               : NULL;
}

// ---- freed ----

enum { SCRAMBLED = 0xD5 };

static bks_arena *arena_of(const check_guest *guest)
{
    // The side's own state, const only for those who look at it.
    void *state = (void *)(uintptr_t)bks_runner_state(guest->side.runner);
    return bks_arena_of(state, guest->side.game.game->root_bytes);
}

const char *vary_freed_why_not(const check_guest *guest)
{
    const bks_game *game = guest->side.game.game;
    if (game->create != NULL || game->root_bytes == 0) {
        return "the state has no arena and so no pools";
    }
    bks_arena *arena = arena_of(guest);
    return bks_arena_inspect(arena, NULL, 0) == 0 ? "the arena has no pools" : NULL;
}

void vary_freed_calm(check_guest *guest)
{
    guest->calmed = bks_arena_fill_free(arena_of(guest), 0);
}

void vary_freed_stir(check_guest *guest)
{
    guest->tape->result.perturbed +=
        bks_arena_fill_free(arena_of(guest), SCRAMBLED) - guest->calmed;
}
