// SPDX-License-Identifier: MIT

/// @file check_variants.h
/// What may be varied: a deterministic game comes to the same states.

#ifndef BKS_TOOL_CHECK_VARIANTS_H
#define BKS_TOOL_CHECK_VARIANTS_H

#include "diagnose/processes/variant_process.h"

/// All of them, in the order in which they are tried.
extern const check_variant *const check_variants[];
extern const uint32_t check_variant_count; ///< of `bks check`, the first ones
extern const uint32_t check_variant_all;   ///< with those of `bks doctor` alone

/// The variant of a name, of all.
/// @return NULL: there is none
const check_variant *check_variant_find(const char *name);

/// Number of a variant in the table, check_variant_all if it is none of them.
uint32_t check_variant_number(const check_variant *variant);

#endif
