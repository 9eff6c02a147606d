// SPDX-License-Identifier: MIT

/// @file variants.h
/// All variants, each with what it perturbs and how, and what `bks doctor` needs of them.

#ifndef BKS_TOOL_VARIANTS_H
#define BKS_TOOL_VARIANTS_H

#include "diagnose/processes/variant_process.h"

// ---- the table ----

/// All of them, in the order in which they are tried.
extern const check_variant *const check_variants[];
extern const uint32_t check_variant_count; ///< of `bks check`, the first ones
extern const uint32_t check_variant_all;   ///< with those of `bks doctor` alone

/// The variant of a name, of all.
/// @return NULL: there is none
const check_variant *check_variant_find(const char *name);

/// Number of a variant in the table, check_variant_all if it is none of them.
uint32_t check_variant_number(const check_variant *variant);

// ---- its rows ----

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

/// Variants for `bks doctor` alone, which set one thing to a value: what lies on the stack, what
/// the system's random numbers are, where stack, heap and plug-in lie.
enum { VARY_SETS = 5 };
extern const check_variant vary_sets[VARY_SETS];

/// Value of the variant `threads`, for `bks doctor` alone: all on one processor, and nothing else.
#define VARY_THREADS_PROCESSORS "processors"

/// Return TOOL_OK if a file holds another build of a game, not another game; errors go to stderr.
/// @return TOOL_OK, TOOL_MISUSE, TOOL_DAMAGED
int vary_build_check(const char *path, const bks_game *game);

/// Change what a step may ask the system, for each kind of system in a file of its own.
void vary_world_prepare(variant_process *variant);
void vary_world_loaded(variant_process *variant);

/// Change every option to another value that its help names or, where it begins with a number, to
/// the next number, and take another number of players. What the game refuses, or what is not known
/// to be a value, stays.
void other_options(bks_runner_config *config);

#endif
