// SPDX-License-Identifier: MIT

/// @file vary_time.h
/// Variants that step more than the baseline: other matches, the same ticks again, guesses.

#ifndef BKS_TOOL_VARY_TIME_H
#define BKS_TOOL_VARY_TIME_H

#include "diagnose/processes/check_parts.h"

void vary_again_loaded(variant_process *variant);
void vary_again_step(variant_process *variant, bks_tick tick);

void vary_resim_step(variant_process *variant, bks_tick tick);

void vary_rejoin_step(variant_process *variant, bks_tick tick);

const char *vary_observed_why_not(const variant_process *variant);
void vary_observed_step(variant_process *variant, bks_tick tick);

#endif
