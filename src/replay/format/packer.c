// SPDX-License-Identifier: MIT

// zstd gets memory of a known size, which is allocated before the match. The functions for this are
// in the static part of zstd's API, but the shared library exports them, too.
#define ZSTD_STATIC_LINKING_ONLY

#include "replay/format/packer.h"

#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_format.h"

/// Compression level of zstd: fast rather than small, because contents are packed in the middle of
/// a match.
#define PACKING_LEVEL 1

/// Most bytes between head and content: the content's length, and a byte that tells how the content
/// is packed.
#define BETWEEN_BYTES_MAX 11u

struct bksi_packer {
    bks_allocator allocator;
    size_t head_bytes_max;
    uint8_t *content;
    size_t content_bytes_max;
    uint8_t *record;
    size_t record_bytes_max;
    uint8_t *work; ///< memory in which zstd works
    size_t work_bytes;
    ZSTD_CCtx *zstd; ///< zstd's context for compressing, which lies in `work`
};

bksi_packer *bksi_packer_create(size_t head_bytes_max, size_t content_bytes_max,
                                const bks_allocator *allocator)
{
    bksi_packer *packer = bksi_alloc(allocator, sizeof(*packer), _Alignof(bksi_packer));
    if (packer == NULL) {
        return NULL;
    }
    packer->allocator = *allocator;
    packer->head_bytes_max = head_bytes_max;
    packer->content_bytes_max = content_bytes_max;
    packer->record_bytes_max = BKSI_RECORD_EXTRA_BYTES + head_bytes_max + BETWEEN_BYTES_MAX +
                               ZSTD_compressBound(content_bytes_max);
    packer->work_bytes = ZSTD_estimateCCtxSize(PACKING_LEVEL);
    packer->content = bksi_alloc(allocator, content_bytes_max, 64);
    packer->record = bksi_alloc(allocator, packer->record_bytes_max, 64);
    packer->work = bksi_alloc(allocator, packer->work_bytes, 64);
    if (packer->content == NULL || packer->record == NULL || packer->work == NULL) {
        bksi_packer_destroy(packer);
        return NULL;
    }
    packer->zstd = ZSTD_initStaticCCtx(packer->work, packer->work_bytes);
    BKS_ASSERT(packer->zstd != NULL);
    return packer;
}

void bksi_packer_destroy(bksi_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_free(&allocator, packer->content, packer->content_bytes_max);
    bksi_free(&allocator, packer->record, packer->record_bytes_max);
    bksi_free(&allocator, packer->work, packer->work_bytes);
    bksi_free(&allocator, packer, sizeof(*packer));
}

bksi_byte_writer bksi_packer_head(bksi_packer *packer)
{
    return bksi_byte_writer_over(packer->record + BKSI_RECORD_HEAD_BYTES, packer->head_bytes_max);
}

bksi_byte_writer bksi_packer_content(bksi_packer *packer)
{
    return bksi_byte_writer_over(packer->content, packer->content_bytes_max);
}

/// Write the byte behind the head that says if the content is packed.
/// @return writer at the content's place
static bksi_byte_writer begin_content(const bksi_packer *packer, const bksi_byte_writer *head,
                                      bool is_packed)
{
    BKS_ASSERT(!head->failed);
    bksi_byte_writer writer = *head;
    writer.capacity = packer->head_bytes_max + BETWEEN_BYTES_MAX;
    bksi_write_u8(&writer, is_packed);
    BKS_ASSERT(!writer.failed);
    return writer;
}

size_t bksi_packer_store(bksi_packer *packer, const bksi_byte_writer *head, const void *content,
                         size_t content_bytes)
{
    const bksi_byte_writer writer = begin_content(packer, head, false);
    memcpy(writer.bytes + writer.at, content, content_bytes);
    return writer.at + content_bytes;
}

size_t bksi_packer_pack(bksi_packer *packer, const bksi_byte_writer *head, const void *content,
                        size_t content_bytes)
{
    const bksi_byte_writer writer = begin_content(packer, head, true);
    const size_t packed_bytes = ZSTD_compressCCtx(packer->zstd, writer.bytes + writer.at,
                                                  ZSTD_compressBound(packer->content_bytes_max),
                                                  content, content_bytes, PACKING_LEVEL);
    return !ZSTD_isError(packed_bytes) && packed_bytes < content_bytes
               ? writer.at + packed_bytes
               : bksi_packer_store(packer, head, content, content_bytes);
}

size_t bksi_packer_pack_sized(bksi_packer *packer, const bksi_byte_writer *head,
                              const bksi_byte_writer *content)
{
    BKS_ASSERT(!content->failed);
    bksi_byte_writer writer = *head;
    writer.capacity = packer->head_bytes_max + BETWEEN_BYTES_MAX;
    bksi_write_varint(&writer, content->at);
    return bksi_packer_pack(packer, &writer, content->bytes, content->at);
}

uint8_t *bksi_packer_record(bksi_packer *packer)
{
    return packer->record;
}

bool bksi_packed_read(bksi_packed *packed, bksi_byte_reader *reader)
{
    const uint8_t packing = bksi_read_u8(reader);
    const size_t left = bksi_byte_reader_left(reader);
    *packed = (bksi_packed){.bytes = left,
                            .is_packed = packing == 1,
                            .packed = bksi_read_bytes(reader, left),
                            .packed_bytes = left};
    if (reader->failed || packing > 1) {
        return false;
    }
    if (packed->is_packed) {
        const unsigned long long bytes = ZSTD_getFrameContentSize(packed->packed, left);
        if (bytes > BKSI_RECORD_BYTES_MAX) { // zstd's error codes are above the limit, too
            return false;
        }
        packed->bytes = (size_t)bytes;
    }
    return true;
}

bool bksi_packed_unpack(const bksi_packed *packed, uint8_t *out)
{
    if (!packed->is_packed) {
        memcpy(out, packed->packed, packed->bytes);
        return true;
    }
    const size_t count = ZSTD_decompress(out, packed->bytes, packed->packed, packed->packed_bytes);
    return !ZSTD_isError(count) && count == packed->bytes;
}
