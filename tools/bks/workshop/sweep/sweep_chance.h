// SPDX-License-Identifier: MIT

/// @file sweep_chance.h
/// Numbers that the cases of `bks sweep` are drawn with.

#ifndef BKS_TOOL_SWEEP_CHANCE_H
#define BKS_TOOL_SWEEP_CHANCE_H

#include "backstitch/det.h"

/// low..high, both included.
uint32_t draw_between(bks_random *random, uint32_t low, uint32_t high);

/// The same, but small numbers are more likely.
uint32_t draw_mostly_low(bks_random *random, uint32_t low, uint32_t high);

bool draw_chance(bks_random *random, uint32_t percent);

#endif
