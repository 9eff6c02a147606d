// SPDX-License-Identifier: MIT

// zstd gets memory of a known size, which is allocated before the match. The functions for this are
// in the static part of zstd's API, but the shared library exports them, too.
#define ZSTD_STATIC_LINKING_ONLY

#include "input/burst_packer.h"

#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/report.h"

/// Compression level of zstd: fast, because pieces are packed in the middle of a match.
#define PACKING_LEVEL 1

/// Bits of a head's second byte: zstd has packed the piece; always 0. The others are of the size.
#define IS_PACKED 0x80u
#define NO_USE    0x60u
_Static_assert(BKSI_PIECE_BYTES_MAX == 1u << 13, "13 bits hold the size less 1");

/// Size of the smallest frame of zstd: no piece of this size or less is made smaller.
#define FRAME_BYTES_MIN 9u

/// Bit of the first byte of a block of zstd: the frame has no other block after it.
#define IS_LAST_BLOCK 1u

/// Return the memory that zstd needs to pack a piece.
static size_t packing_bytes(void)
{
    const ZSTD_compressionParameters largest =
        ZSTD_getCParams(PACKING_LEVEL, BKSI_PIECE_BYTES_MAX, 0);
    return (ZSTD_estimateCCtxSize_usingCParams(largest) + 63) / 64 * 64;
}

bks_status bksi_burst_packer_create(bksi_burst_packer *packer, const bks_allocator *allocator)
{
    const size_t for_packing = packing_bytes();
    const size_t for_unpacking = ZSTD_estimateDCtxSize();
    *packer = (bksi_burst_packer){.work_bytes = for_packing + for_unpacking};
    packer->work = bksi_alloc(allocator, packer->work_bytes, 64);
    if (packer->work == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    packer->packing = ZSTD_initStaticCCtx(packer->work, for_packing);
    packer->unpacking = ZSTD_initStaticDCtx((uint8_t *)packer->work + for_packing, for_unpacking);
    BKS_ASSERT(packer->packing != NULL && packer->unpacking != NULL);
    return BKS_OK;
}

void bksi_burst_packer_destroy(bksi_burst_packer *packer, const bks_allocator *allocator)
{
    bksi_free(allocator, packer->work, packer->work_bytes);
    *packer = (bksi_burst_packer){0};
}

uint32_t bksi_burst_pack(bksi_burst_packer *packer, const bksi_blob *plain, uint8_t *bytes)
{
    BKS_ASSERT(plain->count >= 1 && plain->count <= BKSI_PIECE_BYTES_MAX);
    uint8_t *content = bytes + BKSI_PIECE_HEAD_BYTES;
    size_t size = plain->count;
    if (plain->count > FRAME_BYTES_MIN) {
        // Too little room is an error: the frame would not be shorter.
        size = ZSTD_compressCCtx(packer->packing, content, plain->count - 1, plain->bytes,
                                 plain->count, PACKING_LEVEL);
    }
    const bool is_packed = size < plain->count; // zstd's error codes are above any size
    if (!is_packed) {
        size = plain->count;
        memcpy(content, plain->bytes, size);
    }
    bytes[0] = (uint8_t)(size - 1);
    bytes[1] = (uint8_t)((size - 1) >> 8 | (is_packed ? IS_PACKED : 0));
    return BKSI_PIECE_HEAD_BYTES + (uint32_t)size;
}

/// Return true if bytes are one frame of zstd with one block. zstd makes no other of so few bytes.
/// Each block can have tables, which take longer to build than thousands of bytes to unpack.
static bool is_one_block(const uint8_t *bytes, size_t size)
{
    const size_t head = ZSTD_frameHeaderSize(bytes, size);
    return !ZSTD_isError(head) && head < size && (bytes[head] & IS_LAST_BLOCK) != 0 &&
           ZSTD_findFrameCompressedSize(bytes, size) == size;
}

uint32_t bksi_burst_unpack(bksi_burst_packer *packer, const uint8_t *piece, uint32_t most,
                           uint8_t *bytes)
{
    const uint32_t size = bksi_piece_size(piece);
    const uint8_t *content = piece + BKSI_PIECE_HEAD_BYTES;
    if ((piece[1] & NO_USE) != 0) {
        return 0;
    }
    if ((piece[1] & IS_PACKED) != 0) {
        if (!is_one_block(content, size)) {
            return 0;
        }
        const size_t count = ZSTD_decompressDCtx(packer->unpacking, bytes, most, content, size);
        return ZSTD_isError(count) ? 0 : (uint32_t)count;
    }
    if (size > most) {
        return 0;
    }
    memcpy(bytes, content, size);
    return size;
}
