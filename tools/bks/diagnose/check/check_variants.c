// SPDX-License-Identifier: MIT

#include "diagnose/check/check_variants.h"

#include <string.h>

#include "diagnose/processes/variant_process.h"
#include "diagnose/variants/vary_build.h"
#include "diagnose/variants/vary_cpu.h"
#include "diagnose/variants/vary_defined.h"
#include "diagnose/variants/vary_drawn.h"
#include "diagnose/variants/vary_float.h"
#include "diagnose/variants/vary_memory.h"
#include "diagnose/variants/vary_set.h"
#include "diagnose/variants/vary_threads.h"
#include "diagnose/variants/vary_time.h"
#include "diagnose/variants/vary_undefined.h"
#include "diagnose/variants/vary_world.h"

static const char *why_not_import(const variant_process *variant)
{
    return variant->stepper.game.game->pointers
               ? "the state holds raw pointers (bks_game.pointers): no other process can take it"
               : NULL;
}

// What is perturbed was so before, and is for the whole tick.
static void step_counted(variant_process *variant, bks_tick tick)
{
    variant_step(variant, tick);
    variant->tape->result.perturbed++;
}

const check_variant check_variants[] = {
    {
        .name = "baseline",
        .about = "the plain game a second time: what differs from run to run by itself, such as "
                 "threads that race",
        .unit = "tick",
        .perturbed = "stepped plainly a second time",
        .cause = "unattributed",
        .advice = "two plain runs differ, so what the other variants show may be the same fault: "
                  "look for threads that race, the number of the process, a device, a file that "
                  "was written in between",
        .step = step_counted,
    },
    {
        .name = "again",
        .about = "beside another match in one process, of other options and players too: static "
                 "variables, rand()",
        .unit = "tick",
        .perturbed = "of another match in the process",
        .cause = "hidden-state",
        .explained_by = {"address"},
        .advice = "look for what two matches in one process share: static and global variables, "
                  "rand(), a library's own state; and for what is new each time: a clock, a "
                  "device. Keep it in the state, or ask for it by bks_ask()",
        .loaded = vary_again_loaded,
        .step = vary_again_step,
    },
    {
        .name = "resim",
        .about = "every tick saved, stepped, restored and stepped again, up to 8 at once: state "
                 "outside the region, a save that misses a field",
        .unit = "tick",
        .perturbed = "stepped again",
        .cause = "hidden-state",
        .advice = "look for what a restored snapshot does not bring back: variables outside the "
                  "state, a field that save or load leaves out",
        .keeps_inputs = true,
        .step = vary_resim_step,
    },
    {
        .name = "import",
        .about = "the state taken up by a fresh process that runs on: what only the old process "
                 "knew",
        .unit = "state",
        .perturbed = "taken up by a fresh process",
        .cause = "hidden-state",
        .explained_by = {"address", "derived"},
        .process = CHECK_MOVED,
        .advice = "look for what the state does not hold: static variables that init fills, a "
                  "field that save or load leaves out; a raw pointer in the state",
        .imports = true,
        .why_not = why_not_import,
        .step = variant_step,
    },
    {
        .name = "rejoin",
        .takes = CHECK_TAKES_TICK,
        .about = "rejoin=N: a fresh process takes up the state of tick N and runs on to the end "
                 "(default: a third of the ticks): what a joiner notices late",
        .unit = "tick",
        .perturbed = "in a process that joined late",
        .cause = "hidden-state",
        .explained_by = {"address", "derived"},
        .process = CHECK_MOVED,
        .advice = "look for what load begins anew and a step uses much later: a timer, a cache, a "
                  "table that grows; keep it in the state",
        .imports = true,
        .stays = true,
        .why_not = why_not_import,
        .step = vary_rejoin_step,
    },
    {
        .name = "fill",
        .about = "fresh heap memory and the stack below each call of the game filled with other "
                 "bytes: uninitialised reads",
        .unit = "tick",
        .perturbed = "with other bytes in fresh memory",
        .cause = "uninitialised",
        .advice = "look for a variable or fresh memory that is read before it is written; "
                  "valgrind or clang's -fsanitize=memory names the line",
        .reloads = true,
        .prepare = vary_fill_prepare,
        .step = vary_fill_step,
    },
    {
        .name = "defined",
        .about =
            "under valgrind, which knows of every byte whether it was written and whose it is: "
            "uninitialised reads that no filling shows, with the line they come from, and "
            "uses of the C heap's memory behind free()",
        .unit = "mark",
        .perturbed = "under valgrind",
        .cause = "uninitialised",
        .process = CHECK_WATCHED,
        .reloads = true,
        .advice = "look for a variable or fresh memory that is read before it is written, and for "
                  "a struct on the stack whose padding is copied into the state",
        .prepare = vary_defined_prepare,
        .why_not = vary_defined_why_not,
        .step = vary_defined_step,
        .marked = vary_defined_marked,
    },
    {
        .name = "address",
        .about = "region, heap and libraries elsewhere, and the heap hands out memory in reverse "
                 "order: addresses in the state, pointers as sort keys",
        .unit = "tick",
        .perturbed = "at other addresses",
        .cause = "pointer",
        .advice = "look for an address that is stored, hashed, compared or sorted by; use bks_ref, "
                  "an id of a pool or an index instead",
        .process = CHECK_MOVED,
        .prepare = vary_address_prepare,
        .loaded = vary_address_loaded,
        .why_not = vary_address_why_not,
        .step = step_counted,
    },
    {
        .name = "freed",
        .about = "items of pools scrambled when they are removed, until they are added again: "
                 "dangling references",
        .unit = "free item",
        .perturbed = "scrambled",
        .cause = "dangling",
        .advice = "look for a reference, a pointer or an index to an item that was removed; keep "
                  "its bks_id, which bks_pool_get() refuses from then on",
        .why_not = vary_freed_why_not,
        .step = variant_step,
        .calm = vary_freed_calm,
        .stir = vary_freed_stir,
    },
    {
        .name = "derived",
        .about = "the game's own check of its state after each tick: caches that are not what they "
                 "are derived from",
        .unit = "state",
        .perturbed = "that the game's check accepts",
        .cause = "derived",
        .advice = "look for what the check compares: a cache was not brought up to date",
        .why_not = vary_derived_why_not,
        .step = vary_derived_step,
    },
    {
        .name = "threads",
        .about =
            "jobs of steps by 1, 2 and 8 workers in another order, with random pauses; threads "
            "of the game's own held up, and all on one processor",
        .unit = "tick",
        .perturbed = "with jobs in another order or threads held up",
        .cause = "threads",
        .explained_by = {"address"},
        .advice =
            "look for results taken in the order in which threads are done, for what two jobs "
            "both write, and for work divided by the number of processors; gather results by "
            "job and index (bks_gather_add())",
        .loaded = vary_threads_loaded,
        .step = vary_threads_step,
    },
    {
        .name = "world",
        .about = "another locale, time zone, environment, folder, clock and system's random "
                 "numbers: what a step asks the system",
        .unit = "tick",
        .perturbed = "in another place and at another time",
        .cause = "environment",
        .explained_by = {"address"},
        .advice =
            "look for a call that asks the system: time, getenv, setlocale, a file. What a "
            "step must know is an input, an option or a fact (bks_ask()); random numbers come "
            "from the seed (bks_random)",
        .prepare = vary_world_prepare,
        .loaded = vary_world_loaded,
        .step = step_counted,
    },
    {
        .name = "observed",
        .about = "before each tick 1, 2 or 3 are stepped with wrong guesses and taken back: what "
                 "guesses leave behind",
        .unit = "tick",
        .perturbed = "after wrong guesses",
        .cause = "prediction-leak",
        .explained_by = {"resim"},
        .advice = "look for what a step writes outside the state, such as a best score; it may "
                  "come from a guess that was taken back",
        .why_not = vary_observed_why_not,
        .step = vary_observed_step,
    },
    {
        .name = "drawn",
        .about =
            "between all steps the game is drawn, also between ticks, its bots think, scores and "
            "guesses are asked for: drawing that writes",
        .unit = "tick",
        .perturbed = "drawn",
        .cause = "drawing",
        .advice = "look for what draw, score, bot, predict or extrapolate write: they may read the "
                  "state alone, extrapolate its copy",
        .why_not = vary_drawn_why_not,
        .step = vary_drawn_step,
    },
    {
        .name = "cpu",
        .about = "sin, exp, pow and their kin as the C library has them for a lesser processor",
        .unit = "tick",
        .perturbed = "with mathematics of a lesser processor",
        .cause = "float",
        .process = CHECK_LESSER,
        .advice = "look for calls of sin, exp, pow and the like: their last bit is the C "
                  "library's choice by processor. Use Backstitch's (math.h: bks_sin, bks_sinf, "
                  "bks_expf, bks_powf and kin), or tables",
        .why_not = vary_cpu_why_not,
        .step = step_counted,
    },
    {
        .name = "float",
        .about = "another rounding, flushed denormals, fewer digits of the x87 set before each "
                 "step, which the library must mend; and what a step changes itself",
        .unit = "tick",
        .perturbed = "begun with other settings of the processor",
        .cause = "float",
        .advice = "look for a library that sets how the processor calculates (FTZ, rounding) and "
                  "restore it behind the call: bks_float_enter(), bks_float_leave()",
        .prepare = vary_float_prepare,
        .why_not = vary_float_why_not,
        .step = vary_float_step,
        .calm = vary_float_calm,
    },
    {
        .name = "undefined",
        .about = "invalid operations of floating-point numbers come to what other processors give: "
                 "NaNs made, numbers that do not fit into an integer",
        .unit = "tick",
        .perturbed = "as on another processor",
        .cause = "float",
        .advice = "clamp a number before it becomes an integer, and a divisor before it divides: "
                  "what comes of it differs between processors",
        .prepare = vary_float_prepare,
        .why_not = vary_undefined_why_not,
        .step = vary_undefined_step,
        .calm = vary_undefined_calm,
    },
    {
        .name = "build",
        .takes = CHECK_TAKES_GAME,
        .about = "build=OTHER.so: another build of the same game: fused multiply-add, overflow, "
                 "code of one build alone, another layout of the state",
        .unit = "tick",
        .perturbed = "stepped by the other build",
        .cause = "build",
        .explained_by = {"address", "fill"},
        .advice = "look for arithmetic that flags decide (-ffp-contract, -ffast-math, signed "
                  "overflow), for code and members behind NDEBUG or other macros",
        .prepare = vary_build_prepare,
        .loaded = vary_build_loaded,
        .why_not = vary_build_why_not,
        .step = step_counted,
    },
    // Of `bks doctor` alone.
    {
        .name = "stack-holds",
        .sets = CHECK_SET_STACK,
        .prepare = vary_set_prepare,
        .why_not = vary_set_why_not,
        .step = step_counted,
    },
    {
        .name = "random-is",
        .sets = CHECK_SET_RANDOM,
        .prepare = vary_set_prepare,
        .why_not = vary_set_why_not,
        .step = step_counted,
    },
    {
        .name = "stack-at",
        .sets = CHECK_SET_STACK_AT,
        .prepare = vary_set_prepare,
        .why_not = vary_set_why_not,
        .step = step_counted,
    },
    {
        .name = "heap-at",
        .sets = CHECK_SET_HEAP_AT,
        .prepare = vary_set_prepare,
        .why_not = vary_set_why_not,
        .step = step_counted,
    },
    {
        .name = "code-at",
        .sets = CHECK_SET_CODE_AT,
        .prepare = vary_set_prepare,
        .why_not = vary_set_why_not,
        .step = step_counted,
    },
};

enum { ALL = sizeof(check_variants) / sizeof(check_variants[0]), OF_DOCTOR = 5 };

const uint32_t check_variant_count = ALL - OF_DOCTOR;
const uint32_t check_variant_all = ALL;

const check_variant *check_variant_find(const char *name)
{
    for (uint32_t i = 0; i < ALL; i++) {
        if (strcmp(check_variants[i].name, name) == 0) {
            return &check_variants[i];
        }
    }
    return NULL;
}
