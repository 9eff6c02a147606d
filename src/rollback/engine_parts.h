// SPDX-License-Identifier: MIT

/// @file engine_parts.h
/// What the files of the engine offer one another:
///   known.c       timelines: what is known of the inputs, which ticks are wrong
///   operations.c  the string of operations, and where the state stands
///   gathering.c   inputs that are gathered over several operations
///   slots.c       which ticks are kept as snapshots
///   settled.c     hashes, and what is final
///   rollback.c    the whole

#ifndef BKSI_ENGINE_PARTS_H
#define BKSI_ENGINE_PARTS_H

#include "rollback/rollback.h"

// known.c
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY; BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (the votes)
bks_status bksi_known_create(bksi_rollback *engine, bks_error *error);
void bksi_known_destroy(bksi_rollback *engine);
void bksi_known_start(bksi_rollback *engine);
/// The oldest tick that is wrong, or BKS_TICK_NONE; from now on none is.
bks_tick bksi_known_take_wrong(bksi_rollback *engine);
/// A player's input that a tick is stepped with, known or guessed.
void bksi_known_use(bksi_rollback *engine, uint32_t player, bks_tick tick, const uint8_t *packed);
/// A mutant: our newest input is lost.
#ifdef BKSI_WITH_MUTANTS
void bksi_known_lose(bksi_rollback *engine);
#else
#define bksi_known_lose(engine) ((void)(engine))
#endif

// operations.c
void bksi_operations_start(bksi_rollback *engine);

#endif
