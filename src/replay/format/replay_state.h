// SPDX-License-Identifier: MIT

/// @file replay_state.h
/// The STAT record: state at the recording's first tick, compressed, and the hashes of its pages.

#ifndef BKSI_REPLAY_STATE_H
#define BKSI_REPLAY_STATE_H

#include "backstitch/base.h"

#define BKSI_STATE_BYTES_MAX (UINT64_C(1) << 30)
#define BKSI_STATE_PAGES_MAX (UINT64_C(1) << 18)

/// The STAT record as stored in a file. Its pointers point into the file's bytes.
typedef struct bksi_replay_state {
    size_t state_bytes; ///< size of the unpacked state
    uint32_t page_count;
    const uint8_t *page_hashes; ///< page hashes: page_count little-endian numbers of 8 bytes
    bool is_left_out;           ///< the state holds raw pointers, so it is not recorded
    bool is_packed;
    const uint8_t *packed;
    size_t packed_bytes;
    uint64_t offset; ///< offset of the payload in the file
} bksi_replay_state;

/// Return the most bytes of the payload of a STAT record.
size_t bksi_replay_state_bytes_max(size_t state_bytes, size_t page_count);

/// Write the payload of a STAT record. The state is packed if that makes it smaller.
/// @param state  NULL: the state is left out
/// @return bytes of the payload, 0 when they do not fit `capacity`
size_t bksi_replay_state_write(uint8_t *out, size_t capacity, const void *state, size_t state_bytes,
                               const uint64_t *page_hashes, size_t page_count);

/// Read the payload of a STAT record without unpacking anything.
/// @return BKS_OK, BKS_ERR_DAMAGED
bks_status bksi_replay_state_read(bksi_replay_state *state, const uint8_t *bytes, size_t count,
                                  uint64_t offset, bks_error *error);

/// Unpack the state into `out`, which has room for state->state_bytes bytes. Whatever the file
/// says, no more bytes are written.
/// @return BKS_OK, BKS_ERR_DAMAGED
bks_status bksi_replay_state_unpack(const bksi_replay_state *state, void *out, bks_error *error);

#endif
