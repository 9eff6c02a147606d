// SPDX-License-Identifier: MIT

/// @file vary_cpu.h
/// The variant `cpu`: mathematics of a lesser processor.

#ifndef BKS_TOOL_VARY_CPU_H
#define BKS_TOOL_VARY_CPU_H

#include "diagnose/processes/check_parts.h"

const char *vary_cpu_why_not(const variant_process *variant);

#endif
