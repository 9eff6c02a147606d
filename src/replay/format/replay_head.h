// SPDX-License-Identifier: MIT

/// @file replay_head.h
/// The HEAD record: the match, the layout of its inputs, the environment of the recording.

#ifndef BKSI_REPLAY_HEAD_H
#define BKSI_REPLAY_HEAD_H

#include "backstitch/record.h"
#include "backstitch/toolkit/writer.h"
#include "input/layout.h"

/// Most bytes of the payload of a HEAD record.
#define BKSI_HEAD_BYTES_MAX (8192u + BKS_STATE_RANGES_MAX * 80u)

/// Content of the HEAD record. The names of `fields` and `ranges` point into this struct.
typedef struct bksi_replay_head {
    char game[32];
    uint32_t version;
    char build[64];
    uint32_t tick_rate_hz;
    uint32_t players;
    uint64_t seed;
    uint32_t slot_blocks; ///< size of each tail slot in blocks of BKSI_BLOCK_BYTES

    // Fields that files have since version 2. For a file of version 1 the reader sets the values
    // that version 1 implies.
    uint64_t tail_offset;     ///< offset of the tail slots; 0 in version 1, where they follow STAT
    bks_tick first_tick;      ///< first tick of the recording
    uint32_t hash_bits;       ///< number of recorded bits of a hash
    uint32_t full_hash_ticks; ///< ticks from one hash with all 64 bits to the next
    uint32_t field_count;
    bks_field fields[BKS_FIELDS_MAX];
    char field_names[BKS_FIELDS_MAX][32];
    uint32_t option_count;
    bks_replay_pair options[BKS_OPTIONS_MAX];
    uint32_t environment_count;
    bks_replay_pair environment[BKS_REPLAY_ENVIRONMENT_MAX];
    uint32_t range_count; ///< number of ranges, since version 2
    bks_state_range ranges[BKS_STATE_RANGES_MAX];
    char range_names[BKS_STATE_RANGES_MAX][64];
} bksi_replay_head;

/// Fill in the head from a checked config and its game. If the config has no environment, the head
/// describes this build.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG when a text is too long or holds more than printable ASCII
bks_status bksi_replay_head_fill(bksi_replay_head *head, const bks_replay_config *config,
                                 uint32_t slot_blocks, bks_error *error);

/// Write the payload of a HEAD record in the newest version. Its size does not depend on
/// tail_offset.
/// @return bytes of the payload, 0 when they do not fit `capacity`
size_t bksi_replay_head_write(const bksi_replay_head *head, uint8_t *out, size_t capacity);

/// Read the payload of a HEAD record and check all of it.
/// @param format  version of the file
/// @param offset  offset of the payload in the file, for errors
/// @return BKS_OK, BKS_ERR_DAMAGED
bks_status bksi_replay_head_read(bksi_replay_head *head, uint32_t format, const uint8_t *bytes,
                                 size_t count, uint64_t offset, bks_error *error);

#endif
