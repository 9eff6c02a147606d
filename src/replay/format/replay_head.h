// SPDX-License-Identifier: MIT

/// @file replay_head.h
/// The HEAD record: what the match is, what an input looks like, where it was recorded.

#ifndef BKSI_REPLAY_HEAD_H
#define BKSI_REPLAY_HEAD_H

#include "backstitch/record.h"
#include "backstitch/toolkit/writer.h"
#include "input/layout.h"

/// Most bytes of the payload.
#define BKSI_HEAD_BYTES_MAX (8192u + BKS_STATE_RANGES_MAX * 80u)

/// What the HEAD record says. Texts are its own: `fields` and `ranges` point into them.
typedef struct bksi_replay_head {
    char game[32];
    uint32_t version;
    char build[64];
    uint32_t tick_rate_hz;
    uint32_t players;
    uint64_t seed;
    uint32_t slot_blocks; ///< of each tail slot
    // Since version 2; as they always were in version 1.
    uint64_t tail_offset;     ///< where the slots begin, 0 in version 1: behind STAT
    bks_tick first_tick;      ///< with which the recording begins
    uint32_t hash_bits;       ///< kept of each hash
    uint32_t full_hash_ticks; ///< distance between ticks whose hash has all 64 bits
    uint32_t field_count;
    bks_field fields[BKS_FIELDS_MAX];
    char field_names[BKS_FIELDS_MAX][32];
    uint32_t option_count;
    bks_replay_pair options[BKS_OPTIONS_MAX];
    uint32_t environment_count;
    bks_replay_pair environment[BKS_REPLAY_ENVIRONMENT_MAX];
    uint32_t range_count; ///< since version 2
    bks_state_range ranges[BKS_STATE_RANGES_MAX];
    char range_names[BKS_STATE_RANGES_MAX][64];
} bksi_replay_head;

/// Fill in from a checked config and the game's table; the environment is this build's.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG when a text is too long or holds more than printable ASCII
bks_status bksi_replay_head_fill(bksi_replay_head *head, const bks_replay_config *config,
                                 uint32_t slot_blocks, bks_error *error);

/// Write the payload, of the newest version. Its size does not depend on tail_offset.
/// @return its bytes, 0 when they do not fit `capacity`
size_t bksi_replay_head_write(const bksi_replay_head *head, uint8_t *out, size_t capacity);

/// Read the payload; trusts nothing.
/// @param format  version of the file
/// @param offset  of the payload in the file, for errors
/// @return BKS_OK, BKS_ERR_DAMAGED
bks_status bksi_replay_head_read(bksi_replay_head *head, uint32_t format, const uint8_t *bytes,
                                 size_t count, uint64_t offset, bks_error *error);

#endif
