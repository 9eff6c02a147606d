// SPDX-License-Identifier: MIT

/// @file vary_memory.h
/// Variants of memory: what fresh memory holds, where it lies, what is left of removed items.

#ifndef BKS_TOOL_VARY_MEMORY_H
#define BKS_TOOL_VARY_MEMORY_H

#include "diagnose/processes/check_parts.h"

void vary_fill_prepare(variant_process *variant);
void vary_fill_step(variant_process *variant, bks_tick tick);

void vary_address_prepare(variant_process *variant);
void vary_address_loaded(variant_process *variant);
const char *vary_address_why_not(const variant_process *variant);

const char *vary_freed_why_not(const variant_process *variant);
void vary_freed_calm(variant_process *variant);
void vary_freed_stir(variant_process *variant);

#endif
