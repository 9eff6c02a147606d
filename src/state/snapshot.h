// SPDX-License-Identifier: MIT

/// @file snapshot.h
/// Kept states, behind one interface: numbered slots that take a copy of the part of the region in
/// use and give it back. How the copy is made is this file's own affair (whole today; page-wise
/// saving takes its seat here).

#ifndef BKSI_SNAPSHOT_H
#define BKSI_SNAPSHOT_H

#include "state/region.h"

typedef struct bksi_snapshots bksi_snapshots;

/// Room for `slot_count` (0..256) states of up to `state_bytes_max` bytes each. All memory is taken
/// here.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_snapshots_create(uint32_t slot_count, size_t state_bytes_max,
                                 const bks_allocator *allocator, bksi_snapshots **out);
void bksi_snapshots_destroy(bksi_snapshots *snapshots);

/// Copy the region into a slot.
/// @return bytes copied
size_t bksi_snapshots_save(bksi_snapshots *snapshots, uint32_t slot, const bksi_region *region);

/// Let a slot be what lies elsewhere, without a copy: it must stay there, unchanged, until the slot
/// is saved again or will not be loaded any more.
/// @param count  its bytes, 1..state_bytes_max
void bksi_snapshots_borrow(bksi_snapshots *snapshots, uint32_t slot, const uint8_t *bytes,
                           size_t count);

/// Copy a slot back into the region. The slot must have been saved.
void bksi_snapshots_load(const bksi_snapshots *snapshots, uint32_t slot, bksi_region *region);

/// Room for the bytes of a slot, for states that a game saves by itself: state_bytes_max.
uint8_t *bksi_snapshots_room(bksi_snapshots *snapshots, uint32_t slot);
/// What was saved there.
const uint8_t *bksi_snapshots_bytes(const bksi_snapshots *snapshots, uint32_t slot);
void bksi_snapshots_set_count(bksi_snapshots *snapshots, uint32_t slot, size_t count_bytes);
size_t bksi_snapshots_count(const bksi_snapshots *snapshots, uint32_t slot);

#endif
