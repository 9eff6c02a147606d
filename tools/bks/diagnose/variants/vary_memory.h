// SPDX-License-Identifier: MIT

/// @file vary_memory.h
/// Variants of memory: what fresh memory holds, where it lies, what is left of removed items.

#ifndef BKS_TOOL_VARY_MEMORY_H
#define BKS_TOOL_VARY_MEMORY_H

#include "diagnose/processes/check_parts.h"

void vary_fill_prepare(check_guest *guest);
void vary_fill_step(check_guest *guest, bks_tick tick);

void vary_address_prepare(check_guest *guest);
void vary_address_loaded(check_guest *guest);
const char *vary_address_why_not(const check_guest *guest);

const char *vary_freed_why_not(const check_guest *guest);
void vary_freed_calm(check_guest *guest);
void vary_freed_stir(check_guest *guest);

#endif
