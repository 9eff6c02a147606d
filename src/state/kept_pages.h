// SPDX-License-Identifier: MIT

/// @file kept_pages.h
/// States that are kept to be looked at later, in numbered slots that share their equal pages. A
/// page is copied when its hash is not that of the same page in the slot, nor in the one kept last.

#ifndef BKSI_KEPT_PAGES_H
#define BKSI_KEPT_PAGES_H

#include "backstitch/base.h"

typedef struct bksi_kept_pages bksi_kept_pages;

/// Room for `slot_count` (0..65535) states of up to `state_bytes_max` bytes each, or for what of
/// their pages fits `pages_bytes_max`; nothing is ever kept where one state does not. All memory is
/// taken here.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_kept_pages_create(uint32_t slot_count, size_t state_bytes_max,
                                  size_t pages_bytes_max, const bks_allocator *allocator,
                                  bksi_kept_pages **out);
void bksi_kept_pages_destroy(bksi_kept_pages *kept);

/// Keep a state in a slot, in place of what it held.
/// @param hash_bytes  the hash of each of its pages, zeros behind the last byte included, 8 bytes
///                    each; NULL: not known, the bytes themselves are compared. All states are kept
///                    in the same way
/// @return false when there is no room for its pages: the slot is empty then
bool bksi_kept_pages_put(bksi_kept_pages *kept, uint32_t slot, const uint8_t *bytes, size_t count,
                         const uint8_t *hash_bytes);

/// Most bytes of a state that fits; 0: none does.
size_t bksi_kept_pages_bytes_max(const bksi_kept_pages *kept);

/// Whether parts can be hashed in little time: the hashes of pages came with the states, or there
/// are few pages.
bool bksi_kept_pages_are_hashed(const bksi_kept_pages *kept);

/// The hash of one of the parts that a state in a slot consists of: of a block of 64 bytes with
/// shift 0, of a page with shift 6, and with 12, 18 and so on of 64 parts of the shift before
/// (docs/spec/state-hash.md).
/// @return 0 for one behind the end
uint64_t bksi_kept_pages_part(const bksi_kept_pages *kept, uint32_t slot, uint32_t shift,
                              uint64_t part);

/// Bytes of the state in a slot, 0: none.
size_t bksi_kept_pages_count(const bksi_kept_pages *kept, uint32_t slot);
/// Change the state in a slot to `count` bytes, 1 or more: zeros come behind it, or its end goes.
/// New pages take room for one of them until they are written. To have room for that and for what
/// is written, other states are given up: their slots are empty then.
/// @return false when there is no room, or the slot is empty
bool bksi_kept_pages_resize(bksi_kept_pages *kept, uint32_t slot, size_t count);
/// Overwrite a part of it, which must lie in it.
/// @return false when there is no room: less than the part may be written then
bool bksi_kept_pages_write(bksi_kept_pages *kept, uint32_t slot, size_t offset,
                           const uint8_t *bytes, size_t count);
/// Copy a part of it, which must lie in it.
void bksi_kept_pages_read(const bksi_kept_pages *kept, uint32_t slot, size_t offset, uint8_t *out,
                          size_t count);

#endif
