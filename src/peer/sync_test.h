// SPDX-License-Identifier: MIT

/// @file sync_test.h
/// Sync test: after every step it goes back some ticks, steps them again and compares the states,
/// as a rollback does in a match with other players. Allocates at create only.

#ifndef BKSI_SYNC_TEST_H
#define BKSI_SYNC_TEST_H

#include "backstitch/toolkit/peer.h"
#include "game/runner.h"

/// Get the number of the runner's snapshots that a test of `ticks` needs, beyond those of the
/// session.
static inline uint32_t bksi_sync_test_slots(uint32_t ticks)
{
    return ticks > 0 ? ticks + 2 : 0;
}

typedef struct bksi_sync_test bksi_sync_test;

/// Create a sync test.
/// @param runner   runner that was made with bksi_sync_test_slots() as its more_slots
/// @param session  session that has the commands of the ticks to step again
/// @param ticks    ticks to go back, 1..BKS_SYNC_TEST_TICKS_MAX
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_sync_test_create(bksi_runner *runner, const bks_session *session, uint32_t ticks,
                                 const bks_allocator *allocator, bksi_sync_test **out,
                                 bks_error *error);
void bksi_sync_test_destroy(bksi_sync_test *test, const bks_allocator *allocator);

/// Forget the kept ticks, because the present state was made anew or belongs to another tick.
void bksi_sync_test_forget(bksi_sync_test *test);

/// Register that a tick is about to be stepped for the first time, and observe its marks.
void bksi_sync_test_begin(bksi_sync_test *test, bks_tick tick, const int32_t *inputs);

/// Go back after the newest step and step again up to the present, unobserved. If a tick comes out
/// differently, restore the state of the first step.
/// @param stepped  result of the step; after a failure nothing is tested
/// @return `stepped`; BKS_ERR_GAME: the test found a fault, which bksi_sync_test_problem()
///         describes
bks_status bksi_sync_test_end(bksi_sync_test *test, bks_status stepped);

/// Describe the fault that was found, in a short sentence.
/// @return the sentence; NULL: there is no fault
const char *bksi_sync_test_problem(const bksi_sync_test *test);

/// Get the difference that was found.
/// @return the difference; NULL: none was found
const bks_sync_difference *bksi_sync_test_difference(const bksi_sync_test *test);

#endif
