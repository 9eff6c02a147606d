// SPDX-License-Identifier: MIT

/// @file packer.h
/// Contents of records compressed by zstd. One byte says how a content is packed (0: not at all, 1:
/// by zstd). The rest of the payload is the content.

#ifndef BKSI_PACKER_H
#define BKSI_PACKER_H

#include "base/bytes.h"

/// Packer of contents into records. All memory is allocated at create.
typedef struct bksi_packer bksi_packer;

/// Create a packer.
/// @param head_bytes_max     most bytes of the payload before a packed content
/// @param content_bytes_max  most bytes of a content
/// @return NULL when there is no memory
bksi_packer *bksi_packer_create(size_t head_bytes_max, size_t content_bytes_max,
                                const bks_allocator *allocator);
/// Destroy a packer. NULL is allowed.
void bksi_packer_destroy(bksi_packer *packer);

/// Begin a payload. Write its head with the returned writer, then pass the writer to
/// bksi_packer_pack().
bksi_byte_writer bksi_packer_head(bksi_packer *packer);

/// Begin a content in the packer's own memory.
bksi_byte_writer bksi_packer_content(bksi_packer *packer);

/// Write the head, then `content`, packed if that makes it shorter.
/// @return bytes of the payload, from bksi_packer_record() + BKSI_RECORD_HEAD_BYTES on
size_t bksi_packer_pack(bksi_packer *packer, const bksi_byte_writer *head, const void *content,
                        size_t content_bytes);

/// Write the head, then `content` as it is.
/// @return like bksi_packer_pack()
size_t bksi_packer_store(bksi_packer *packer, const bksi_byte_writer *head, const void *content,
                         size_t content_bytes);

/// Write the head, the content's length as a varint, then `content`, packed as bksi_packer_pack()
/// does.
size_t bksi_packer_pack_sized(bksi_packer *packer, const bksi_byte_writer *head,
                              const bksi_byte_writer *content);

/// Return the record with room for a head and a check around the payload, valid until the next
/// content is packed.
uint8_t *bksi_packer_record(bksi_packer *packer);

/// A packed content as stored in a file. Its pointer points into the file's bytes.
typedef struct bksi_packed {
    size_t bytes; ///< size of the unpacked content
    bool is_packed;
    const uint8_t *packed;
    size_t packed_bytes;
} bksi_packed;

/// Read a content without unpacking it. The content is the rest of the payload.
/// @return false when the bytes are wrong
bool bksi_packed_read(bksi_packed *packed, bksi_byte_reader *reader);

/// Unpack a content.
/// @param out  room for packed->bytes
/// @return false when the bytes are wrong
bool bksi_packed_unpack(const bksi_packed *packed, uint8_t *out);

/// Return true if a file may hold contents of so many bytes, unpacked. Without a limit a few
/// kilobytes could hold gigabytes.
/// @param unpacked_bytes  size of all contents of a kind together
/// @param file_bytes      bytes of the file, or of its part before the newest of these contents
/// @param free_bytes      bytes that any file may hold
/// @param factor          bytes more for each byte of the file
static inline bool bksi_packed_may_have(uint64_t unpacked_bytes, uint64_t file_bytes,
                                        uint64_t free_bytes, uint64_t factor)
{
    return unpacked_bytes <= free_bytes || (unpacked_bytes - free_bytes) / factor < file_bytes;
}

#endif
