// SPDX-License-Identifier: MIT

/// @file snapshot.h
/// Numbered slots that save a copy of the used part of the region and restore it.

#ifndef BKSI_SNAPSHOT_H
#define BKSI_SNAPSHOT_H

#include "state/region.h"

typedef struct bksi_snapshots bksi_snapshots;

/// Create `slot_count` (0..256) slots for states of up to `state_bytes_max` bytes each. All memory
/// is allocated here.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_snapshots_create(uint32_t slot_count, size_t state_bytes_max,
                                 const bks_allocator *allocator, bksi_snapshots **out);
void bksi_snapshots_destroy(bksi_snapshots *snapshots);

/// Copy the region into a snapshot slot.
/// @return bytes copied
size_t bksi_snapshots_save(bksi_snapshots *snapshots, uint32_t slot, const bksi_region *region);

/// Let a slot refer to bytes elsewhere, without a copy. The bytes must stay unchanged
/// as long as the slot may be loaded, or until it is saved again.
/// @param count  1..state_bytes_max
void bksi_snapshots_borrow(bksi_snapshots *snapshots, uint32_t slot, const uint8_t *bytes,
                           size_t count);

/// Copy a slot back into the region. The slot must have been saved.
void bksi_snapshots_load(const bksi_snapshots *snapshots, uint32_t slot, bksi_region *region);

/// Return the memory of a slot, of state_bytes_max bytes, for a game that saves its own state.
uint8_t *bksi_snapshots_room(bksi_snapshots *snapshots, uint32_t slot);
/// Return the bytes saved in a slot.
const uint8_t *bksi_snapshots_bytes(const bksi_snapshots *snapshots, uint32_t slot);
void bksi_snapshots_set_count(bksi_snapshots *snapshots, uint32_t slot, size_t count_bytes);
size_t bksi_snapshots_count(const bksi_snapshots *snapshots, uint32_t slot);

#endif
