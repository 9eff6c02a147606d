// SPDX-License-Identifier: MIT

/// @file variants.h The table of variants, each variant in it, and functions of variants that `bks
/// doctor` and tests use.

#ifndef BKS_TOOL_VARIANTS_H
#define BKS_TOOL_VARIANTS_H

#include "diagnose/processes/variant_process.h"

// ---- the table of variants ----

/// All variants, in the order in which they are tried.
extern const check_variant *const check_variants[];
extern const uint32_t check_variant_count; ///< number of variants of `bks check`, which come first
/// Number of all variants, including those that users cannot choose.
extern const uint32_t check_variant_all;

/// Find a variant by its name. Return NULL if there is none of that name.
const check_variant *check_variant_find(const char *name);

/// Return the index of a variant in the table, check_variant_all if the table does not have it.
uint32_t check_variant_number(const check_variant *variant);

// ---- rows of the table of variants ----

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

/// Variant for `bks run --times` alone: another match in the process, other bytes in fresh memory
/// and on the stack, other addresses, clocks and random numbers. Its value is a number from 1 on,
/// and other numbers give other bytes, clocks and random numbers.
extern const check_variant vary_run;

/// Variant for the report of imports alone: notes which of them the steps call, and varies nothing.
extern const check_variant vary_calls;

/// Variants for `bks doctor` alone. Each sets one quantity: bytes on the stack, the system's random
/// numbers, the time, the address of stack, heap or plug-in.
enum { VARY_SETS = 6 };
extern const check_variant vary_sets[VARY_SETS];

/// Variants for `bks doctor` alone: the time zone and the locale of a machine that recorded, which
/// is their value.
extern const check_variant vary_zone;
extern const check_variant vary_locale;

/// Value of the variant `threads`, for `bks doctor` alone: put all threads on one processor, and
/// vary nothing else.
#define VARY_THREADS_PROCESSORS "processors"

/// Load a plug-in and check that it is another build of the same game; errors go to stderr.
/// @return TOOL_OK, TOOL_MISUSE or TOOL_DAMAGED
int vary_build_check(const char *path, const bks_game *game);

/// Return true if a plug-in has a function that gets the state between steps, which the variant
/// `drawn` calls.
bool vary_drawn_can(const bks_plugin *plugin);

/// Change the surroundings that a step may ask the system for, such as time, locale and folder.
/// Each kind of system has its own source file.
void vary_world_prepare(variant_process *variant);
void vary_world_loaded(variant_process *variant);

/// Set the time zone, as the environment variable TZ has it.
void vary_zone_set(const char *zone);

/// Set the locale of this process and of all that asks the environment for it.
/// @param numbers, order  names of the locales for numbers and for the order of texts
/// @return false if the system has not both
bool vary_locale_set(const char *numbers, const char *order);

/// Change the number of players and every option. An option with a number gets the next number, any
/// other option another value that its help text names. Leave values unchanged if the game refuses
/// the new ones.
void other_options(bks_runner_config *config);

#endif
