// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/state_map.h"
#include "base/heap.h"
#include "base/system.h"
#include "base/text.h"
#include "diagnose/processes/variant_process.h"

// ---- the variant `fill` ----

enum { FILL_HEAP = 0xA5 };

static void prepare_fill(variant_process *variant)
{
    variant->stepper.stack_pattern = FILL_HEAP;
    alloc_count_fill(FILL_HEAP);
    if (!alloc_count_works()) {
        TEXT_SET(variant->tape->result.info, "the stack alone: this bks does not see the heap");
    }
}

static void step_fill(variant_process *variant, bks_tick tick)
{
    variant->stepper.stack_pattern = (uint8_t)((uint32_t)tick * 89u % 255u + 1u);
    variant_step(variant, tick);
    variant->tape->result.perturbed++;
}

// ---- the variant `address` ----

enum { APART_BYTES = 5 * 4096 };

static void prepare_address(variant_process *variant)
{
    system_take_place(variant->tape->baseline.code);
}

static void begin_address(variant_process *variant)
{
    (void)variant;
    system_take_addresses(APART_BYTES);
    if (alloc_count_works()) {
        heap_reverse_begin();
    }
}

static const char *why_not_address(const variant_process *variant)
{
    const check_addresses here = stepper_addresses(&variant->stepper);
    const check_addresses *there = &variant->tape->baseline;
    return here.state == there->state && here.code == there->code
               ? "this system puts every process at the same addresses"
               : NULL;
}

// ---- the variant `freed` ----

enum { SCRAMBLED = 0xD5 };

static bks_arena *arena_of(const variant_process *variant)
{
    // Casting const away is safe: bks_runner_state() is const for readers, but this process owns
    // the state.
    void *state = (void *)(uintptr_t)bks_runner_state(variant->stepper.runner);
    return bks_arena_of(state, variant->stepper.game.game->root_bytes);
}

static const char *why_not_freed(const variant_process *variant)
{
    const bks_game *game = variant->stepper.game.game;
    if (game->create != NULL || game->root_bytes == 0) {
        return "the state has no arena and so no pools";
    }
    bks_arena *arena = arena_of(variant);
    return bks_arena_inspect(arena, NULL, 0) == 0 ? "the arena has no pools" : NULL;
}

static void restore_freed(variant_process *variant)
{
    variant->restored = bks_arena_fill_free(arena_of(variant), 0);
}

static void scramble_freed(variant_process *variant)
{
    variant->tape->result.perturbed +=
        bks_arena_fill_free(arena_of(variant), SCRAMBLED) - variant->restored;
}

// ---- variants for `bks doctor` alone ----

static void prepare_set(variant_process *variant)
{
    uint64_t value = 0;
    const char *text = variant->stepper.options->value;
    if (text != NULL && sscanf(text, "%" SCNx64, &value) == 1) {
        variant->stepper.set = (check_set){.kind = variant->kind->sets, .value = value};
    }
}

static const char *why_not_set(const variant_process *variant)
{
    const check_set *set = &variant->stepper.set;
    return set->kind == CHECK_SET_NOTHING ? "no value is given"
           : set->kind == CHECK_SET_HEAP_AT && !alloc_count_works()
               ? "the C heap is not to be placed in this build of bks"
           : set->is_refused ? "something lies at that address already"
                             : NULL;
}

const check_variant vary_fill = {
    .name = "fill",
    .about = "fresh heap memory and the stack below each call of the game filled with other "
             "bytes: uninitialised reads",
    .unit = "tick",
    .perturbed = "with other bytes in fresh memory",
    .cause = "uninitialised",
    .advice = "look for a variable or fresh memory that is read before it is written; "
              "valgrind or clang's -fsanitize=memory names the line",
    .reloads = true,
    .before_load = prepare_fill,
    .step = step_fill,
};

const check_variant vary_address = {
    .name = "address",
    .about = "region, heap and libraries elsewhere, and the heap hands out memory in reverse "
             "order: addresses in the state, pointers as sort keys",
    .unit = "tick",
    .perturbed = "at other addresses",
    .cause = "pointer",
    .advice = "look for an address that is stored, hashed, compared or sorted by; use bks_ref, "
              "an id of a pool or an index instead",
    .process = CHECK_MOVED,
    .before_load = prepare_address,
    .after_load = begin_address,
    .why_not = why_not_address,
    .step = variant_step_counted,
};

const check_variant vary_freed = {
    .name = "freed",
    .about = "items of pools scrambled when they are removed, until they are added again: "
             "dangling references",
    .unit = "free item",
    .perturbed = "scrambled",
    .cause = "dangling",
    .advice = "look for a reference, a pointer or an index to an item that was removed; keep "
              "its bks_id, which bks_pool_get() refuses from then on",
    .why_not = why_not_freed,
    .step = variant_step,
    .before_compare = restore_freed,
    .after_compare = scramble_freed,
};

#define SETS(NAME, KIND)                                                                    \
    {                                                                                       \
        .name = (NAME), .sets = (KIND), .before_load = prepare_set, .why_not = why_not_set, \
        .step = variant_step_counted                                                        \
    }

const check_variant vary_sets[VARY_SETS] = {
    SETS("stack-holds", CHECK_SET_STACK), SETS("random-is", CHECK_SET_RANDOM),
    SETS("stack-at", CHECK_SET_STACK_AT), SETS("heap-at", CHECK_SET_HEAP_AT),
    SETS("code-at", CHECK_SET_CODE_AT),   SETS("clock-is", CHECK_SET_CLOCK),
};
