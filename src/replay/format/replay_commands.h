// SPDX-License-Identifier: MIT

/// @file replay_commands.h
/// Record of the commands of one tick (CMDS), as docs/spec/replay.md describes it.

#ifndef BKSI_REPLAY_COMMANDS_H
#define BKSI_REPLAY_COMMANDS_H

#include "backstitch/game.h"

#include "input/command_log.h"
#include "replay/format/packer.h"
#include "replay/format/replay_format.h"

/// Size in bytes of the tick, which precedes the packed content in a CMDS record's payload.
#define BKSI_COMMANDS_HEAD_BYTES 4u

/// Maximum size in bytes of a player's commands at a tick: a blob, and the beginning of a command
/// that the blob completes.
#define BKSI_COMMANDS_BYTES_MAX \
    (BKSI_BLOB_BYTES_MAX + BKSI_COMMAND_HEAD_BYTES + BKS_COMMAND_BYTES_MAX)

/// Maximum size in bytes of a player's part of the unpacked content: seat, size, commands.
#define BKSI_COMMANDS_PLAYER_BYTES_MAX (1u + 4u + BKSI_COMMANDS_BYTES_MAX)

/// Most bytes of the packed contents of a file, unpacked: these, and so many for each byte of the
/// file. Otherwise a small file could hold gigabytes of commands.
#define BKSI_COMMANDS_FILE_BYTES  (UINT64_C(1) << 23)
#define BKSI_COMMANDS_FILE_FACTOR (UINT64_C(1) << 5)

/// Return the maximum size in bytes of a CMDS record: a content that packing does not make shorter
/// is not packed, which one byte says.
static inline size_t bksi_commands_record_bytes_max(uint32_t players)
{
    return BKSI_RECORD_EXTRA_BYTES + BKSI_COMMANDS_HEAD_BYTES + 1 +
           (size_t)players * BKSI_COMMANDS_PLAYER_BYTES_MAX;
}

/// Place of a CMDS record in the file.
typedef struct bksi_commands_place {
    uint64_t payload; ///< offset of the record's payload in the file
    size_t payload_bytes;
    bks_tick tick;
    size_t content_bytes; ///< size of the unpacked content
    bool is_packed;       ///< the content is packed, so it may be far larger than the record
} bksi_commands_place;

/// Return true if a file may have packed contents of so many bytes, unpacked, before `offset` and
/// in the record that begins there.
static inline bool bksi_commands_may_have(uint64_t content_bytes, uint64_t offset)
{
    return bksi_packed_may_have(content_bytes, offset, BKSI_COMMANDS_FILE_BYTES,
                                BKSI_COMMANDS_FILE_FACTOR);
}

/// Write the commands of a tick into the packer's record. The content stays as it is if packing
/// does not make it shorter, or if the file may not have more packed contents.
/// @param commands      an entry for each player
/// @param packed_bytes  size of the packed contents of the file, unpacked; receives the new size
/// @param offset        offset in the file at which the record will begin
/// @return size of the payload in bytes
size_t bksi_commands_pack(bksi_packer *packer, bks_tick tick, const bks_commands *commands,
                          uint32_t players, uint64_t *packed_bytes, uint64_t offset);

/// Read a CMDS record's tick and the size of its unpacked content.
/// @return false when the bytes are wrong
bool bksi_commands_read_head(bksi_commands_place *place, const uint8_t *payload, size_t count);

/// Unpack a CMDS record and check the framing of all commands.
/// @param content   room for place->content_bytes
/// @param commands  receives an entry for each player, which points into `content`
/// @return false when the bytes are wrong
bool bksi_commands_unpack(const uint8_t *payload, size_t count, uint8_t *content, uint32_t players,
                          bks_commands *commands);

#endif
