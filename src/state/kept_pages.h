// SPDX-License-Identifier: MIT

/// @file kept_pages.h
/// States kept for later comparison, in numbered slots that share equal pages. A page is copied
/// only if its hash differs from that of the same page in the slot and in the slot kept last.

#ifndef BKSI_KEPT_PAGES_H
#define BKSI_KEPT_PAGES_H

#include "backstitch/base.h"

typedef struct bksi_kept_pages bksi_kept_pages;

/// Create `slot_count` (0..65535) slots for states of up to `state_bytes_max` bytes each, with
/// pages of at most `pages_bytes_max` in all. If not even one state fits, nothing is ever kept. All
/// memory is allocated here.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_kept_pages_create(uint32_t slot_count, size_t state_bytes_max,
                                  size_t pages_bytes_max, const bks_allocator *allocator,
                                  bksi_kept_pages **out);
void bksi_kept_pages_destroy(bksi_kept_pages *kept);

/// Store a state in a slot, in place of its old one.
/// @param hash_bytes  hash of each page, 8 bytes each, computed with zeros after the last byte of
///                    the state. With NULL, bytes are compared instead; pass NULL for all states or
///                    for none
/// @return false if there is no room for the state's pages: the slot is empty then
bool bksi_kept_pages_put(bksi_kept_pages *kept, uint32_t slot, const uint8_t *bytes, size_t count,
                         const uint8_t *hash_bytes);

/// Return the size of the largest state that fits; 0 if none does.
size_t bksi_kept_pages_bytes_max(const bksi_kept_pages *kept);

/// Return true if parts of states can be hashed quickly, because page hashes came with the states
/// or there are few pages.
bool bksi_kept_pages_are_hashed(const bksi_kept_pages *kept);

/// Return the hash of one part of the state in a slot. With shift 0 a part is a block of 64 bytes,
/// and with shift 6 a page. With 12, 18 and so on it has 64 parts of the next lower shift
/// (docs/spec/state-hash.md).
/// @return the hash; 0 for a part beyond the state's end
uint64_t bksi_kept_pages_part(const bksi_kept_pages *kept, uint32_t slot, uint32_t shift,
                              uint64_t part);

/// Return the number of bytes of the state in a slot, 0 if it is empty.
size_t bksi_kept_pages_count(const bksi_kept_pages *kept, uint32_t slot);
/// Resize the state in a slot to `count` bytes, 1 or more; new bytes are zero. New pages share one
/// page until they are written. If the pool has no room for new pages or later writes, states in
/// other slots are dropped: their slots are empty then.
/// @return false if there is no room, or the slot is empty
bool bksi_kept_pages_resize(bksi_kept_pages *kept, uint32_t slot, size_t count);
/// Overwrite bytes within the state in a slot.
/// @return false if there is no room: some of the bytes may have been written
bool bksi_kept_pages_write(bksi_kept_pages *kept, uint32_t slot, size_t offset,
                           const uint8_t *bytes, size_t count);
/// Copy bytes of the state in a slot.
void bksi_kept_pages_read(const bksi_kept_pages *kept, uint32_t slot, size_t offset, uint8_t *out,
                          size_t count);

#endif
