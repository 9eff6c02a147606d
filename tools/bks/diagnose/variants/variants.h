// SPDX-License-Identifier: MIT

/// @file variants.h
/// The table of variants, their rows, and functions that `bks doctor` and tests use.

#ifndef BKS_TOOL_VARIANTS_H
#define BKS_TOOL_VARIANTS_H

#include "diagnose/processes/variant_process.h"

// ---- the table ----

/// All variants, in the order in which they are tried.
extern const check_variant *const check_variants[];
extern const uint32_t check_variant_count; ///< variants of `bks check`, which come first
extern const uint32_t check_variant_all;   ///< all variants, also those for `bks doctor` alone

/// Find a variant by its name, NULL if there is none.
const check_variant *check_variant_find(const char *name);

/// Return the number of a variant in the table, check_variant_all if it is not in it.
uint32_t check_variant_number(const check_variant *variant);

// ---- rows ----

extern const check_variant vary_baseline;
extern const check_variant vary_again;
extern const check_variant vary_resim;
extern const check_variant vary_import;
extern const check_variant vary_rejoin;
extern const check_variant vary_fill;
extern const check_variant vary_defined;
extern const check_variant vary_address;
extern const check_variant vary_freed;
extern const check_variant vary_derived;
extern const check_variant vary_threads;
extern const check_variant vary_world;
extern const check_variant vary_observed;
extern const check_variant vary_drawn;
extern const check_variant vary_cpu;
extern const check_variant vary_float;
extern const check_variant vary_undefined;
extern const check_variant vary_build;

/// Variants for `bks doctor` alone. Each sets one quantity: bytes on the stack, the system's random
/// numbers, the address of stack, heap or plug-in.
enum { VARY_SETS = 5 };
extern const check_variant vary_sets[VARY_SETS];

/// Value of the variant `threads` for `bks doctor`: put all threads on one processor, vary nothing
/// else.
#define VARY_THREADS_PROCESSORS "processors"

/// Load a file and check that it is a build of the same game; errors go to stderr.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int vary_build_check(const char *path, const bks_game *game);

/// Change what a step may ask the system for. Each kind of system has its own source.
void vary_world_prepare(variant_process *variant);
void vary_world_loaded(variant_process *variant);

/// Change the number of players and every option: to the next number, or to another value that the
/// option's help names. Values that the game refuses stay.
void other_options(bks_runner_config *config);

#endif
