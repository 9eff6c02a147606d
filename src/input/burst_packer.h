// SPDX-License-Identifier: MIT

/// @file burst_packer.h
/// Packs bursts of commands in pieces for the wire, by zstd, each piece by itself. A piece that
/// zstd would not make shorter goes as it is. Before its bytes a piece has a head, which has their
/// number. See docs/spec/wire.md.

#ifndef BKSI_BURST_PACKER_H
#define BKSI_BURST_PACKER_H

#include "input/command_log.h"

/// Most plain bytes of a piece.
#define BKSI_PIECE_BYTES_MAX 8192u

#define BKSI_PIECE_HEAD_BYTES 2u

/// Packer and unpacker. All memory is allocated at create.
typedef struct bksi_burst_packer {
    void *work; ///< memory in which zstd packs, then that in which it unpacks
    size_t work_bytes;
    void *packing; ///< contexts of zstd, which lie in `work`
    void *unpacking;
} bksi_burst_packer;

/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_burst_packer_create(bksi_burst_packer *packer, const bks_allocator *allocator);
void bksi_burst_packer_destroy(bksi_burst_packer *packer, const bks_allocator *allocator);

/// Pack 1 to BKSI_PIECE_BYTES_MAX bytes.
/// @param bytes  receives the piece: room for BKSI_PIECE_HEAD_BYTES + plain->count
/// @return size of the piece
uint32_t bksi_burst_pack(bksi_burst_packer *packer, const bksi_blob *plain, uint8_t *bytes);

/// Return the number of bytes after the head of a piece: 1 to BKSI_PIECE_BYTES_MAX.
/// @param piece  its head
static inline uint32_t bksi_piece_size(const uint8_t *piece)
{
    return 1 + (piece[0] | (piece[1] & 0x1Fu) << 8);
}
/// Unpack a piece.
/// @param most   most plain bytes that it may have
/// @param bytes  receives the plain bytes: room for `most`
/// @return number of plain bytes; 0: the piece is malformed, or stands for more than `most`
uint32_t bksi_burst_unpack(bksi_burst_packer *packer, const uint8_t *piece, uint32_t most,
                           uint8_t *bytes);

#endif
