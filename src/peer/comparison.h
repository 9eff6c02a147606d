// SPDX-License-Identifier: MIT

/// @file comparison.h
/// Comparison and repair of our state of a tick with another peer's: carries out PARTS, READ, NAME,
/// WRITE and RESTORE on the states that a runner keeps.

#ifndef BKSI_COMPARISON_H
#define BKSI_COMPARISON_H

#include "backstitch/session.h"
#include "backstitch/toolkit/state_map.h"

#include "game/runner.h"
#include "wire/compare_message.h"

typedef struct bksi_comparison {
    bks_state_names names;
    bks_allocator allocator;
    size_t room;    ///< size of `own` and of `other`; 0: no states are kept
    uint8_t *own;   ///< memory for our state
    uint8_t *other; ///< memory for the other peer's state
    uint32_t parts[BKSI_COMPARE_RUNS_MAX * BKSI_COMPARE_RUN];
    uint8_t blocks[BKSI_COMPARE_BLOCKS_MAX * BKSI_COMPARE_BLOCK_BYTES];
    bks_state_difference found;
    bks_error problem; ///< reason why the newest RESTORE failed
} bksi_comparison;

/// Allocate memory for the states that a runner keeps. Call it at create and after each restart of
/// the runner. The struct must be zero before the first call.
/// @param map  names of the state's bytes; NULL: the game's own map or ranges
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_comparison_fit(bksi_comparison *comparison, const bksi_runner *runner,
                               const bks_state_map *map, const bks_allocator *allocator);
void bksi_comparison_destroy(bksi_comparison *comparison);

/// Carry out PARTS, READ, NAME or WRITE.
/// @param result  receives what was found, valid until the next call
void bksi_comparison_carry_out(bksi_comparison *comparison, bksi_runner *runner, const bks_op *op,
                               bks_op_result *result);
/// Carry out RESTORE. Refuse bytes that are no state, or a state with another hash than the
/// operation names: then the present state stays. If the present state cannot be put back, the
/// result has a problem.
void bksi_comparison_restore(bksi_comparison *comparison, bksi_runner *runner, const bks_op *op,
                             bks_op_result *result);
/// Carry out CHECK. The present state stays; if it cannot be restored, the result has a problem.
void bksi_comparison_check(bksi_comparison *comparison, bksi_runner *runner, const bks_op *op,
                           bks_op_result *result);

#endif
