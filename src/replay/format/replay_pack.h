// SPDX-License-Identifier: MIT

/// @file replay_pack.h
/// The content of a record, packed or as it is: how many bytes it has unpacked (varint), how it is
/// packed (1 byte: 0 none, 1 zstd), and all that is left.

#ifndef BKSI_REPLAY_PACK_H
#define BKSI_REPLAY_PACK_H

#include "backstitch/base.h"
#include "base/bytes.h"

/// Packs contents into records. All memory is taken at create.
typedef struct bksi_packer bksi_packer;

/// @param head_bytes_max     what stands before a content
/// @param content_bytes_max  of a content
/// @return NULL when there is no memory
bksi_packer *bksi_packer_create(size_t head_bytes_max, size_t content_bytes_max,
                                const bks_allocator *allocator);
void bksi_packer_destroy(bksi_packer *packer);

/// Begin a record: what stands before the content is written with this, to be handed back.
bksi_byte_writer bksi_packer_head(bksi_packer *packer);
/// Its content is written with this.
bksi_byte_writer bksi_packer_content(bksi_packer *packer);
/// Put the two together.
/// @return bytes of the payload, from bksi_packer_record() + BKSI_RECORD_HEAD_BYTES on
size_t bksi_packer_pack(bksi_packer *packer, const bksi_byte_writer *head,
                        const bksi_byte_writer *content);
/// Room for a record with the payload in it, valid until the next is packed.
uint8_t *bksi_packer_record(bksi_packer *packer);

/// A content as it lies in a file. Points into its bytes.
typedef struct bksi_packed {
    size_t bytes; ///< unpacked
    bool is_packed;
    const uint8_t *packed;
    size_t packed_bytes;
} bksi_packed;

/// Read it, without unpacking: all that is left for the reader.
/// @return false when it is wrong, or has more than `most` bytes
bool bksi_packed_read(bksi_packed *packed, bksi_byte_reader *reader, size_t most);
/// Unpack it into `out`, packed->bytes.
/// @return false when the bytes are wrong
bool bksi_packed_unpack(const bksi_packed *packed, uint8_t *out);

#endif
