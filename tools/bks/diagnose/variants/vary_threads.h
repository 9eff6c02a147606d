// SPDX-License-Identifier: MIT

/// @file vary_threads.h
/// The variant of threads: jobs in another order, by 1, 2 and 8 workers with pauses; threads of the
/// game's own held up, and all on one processor.

#ifndef BKS_TOOL_VARY_THREADS_H
#define BKS_TOOL_VARY_THREADS_H

#include "diagnose/processes/check_parts.h"

/// Behind the variant's name, of `bks doctor` alone: all on one processor, and nothing else.
#define VARY_THREADS_PROCESSORS "processors"

void vary_threads_loaded(variant_process *variant);
void vary_threads_step(variant_process *variant, bks_tick tick);

#endif
