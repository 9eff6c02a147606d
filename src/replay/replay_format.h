// SPDX-License-Identifier: MIT

/// @file replay_format.h
/// The frame of a `.bks` file: the preamble, and records that carry a check of their own length, so
/// that a file that was cut is told from one that is damaged. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_FORMAT_H
#define BKSI_REPLAY_FORMAT_H

#include "backstitch/base.h"

#define BKSI_REPLAY_VERSION     1u
#define BKSI_PREAMBLE_BYTES     16u ///< magic, version, check
#define BKSI_RECORD_HEAD_BYTES  12u ///< type, length, check of both
#define BKSI_RECORD_CHECK_BYTES 8u  ///< behind the payload
#define BKSI_RECORD_BYTES_MAX   ((UINT64_C(1) << 30) + (UINT64_C(1) << 26)) ///< of a payload
#define BKSI_RECORD_EXTRA_BYTES (BKSI_RECORD_HEAD_BYTES + BKSI_RECORD_CHECK_BYTES)

/// Four letters as they stand in the file.
#define BKSI_RECORD_TYPE(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define BKSI_RECORD_HEAD  BKSI_RECORD_TYPE('H', 'E', 'A', 'D') ///< what the match is
#define BKSI_RECORD_STATE BKSI_RECORD_TYPE('S', 'T', 'A', 'T') ///< the state at tick 0
#define BKSI_RECORD_TICKS BKSI_RECORD_TYPE('T', 'I', 'C', 'K') ///< a run of confirmed ticks
#define BKSI_RECORD_DONE  BKSI_RECORD_TYPE('D', 'O', 'N', 'E') ///< the end of a complete file

/// Payload of BKSI_RECORD_DONE: ticks, whether there is a final hash, the hash.
#define BKSI_DONE_BYTES 13u

/// Write the preamble, BKSI_PREAMBLE_BYTES.
void bksi_preamble_write(uint8_t *at);

/// @return BKS_OK; BKS_ERR_DAMAGED; BKS_ERR_INCOMPLETE; BKS_ERR_UNSUPPORTED (another version, or
///         no replay at all)
bks_status bksi_preamble_check(const uint8_t *bytes, size_t count, bks_error *error);

/// Put head and check around a payload that lies at `at` + BKSI_RECORD_HEAD_BYTES.
/// @param offset  where in the file the record will begin; it enters both checks, so that a record
///                in the wrong place is told too
/// @return bytes of the whole record
size_t bksi_record_seal(uint8_t *at, uint32_t type, size_t payload_bytes, uint64_t offset);

/// How reading a record went.
typedef enum bksi_record_status {
    BKSI_RECORD_OK,
    BKSI_RECORD_END,         ///< no byte there: the file ends between two records
    BKSI_RECORD_CUT,         ///< the file ends inside it
    BKSI_RECORD_BAD_HEAD,    ///< type, length or their check is wrong
    BKSI_RECORD_BAD_PAYLOAD, ///< the payload or its check is wrong; the record is where it should
} bksi_record_status;

typedef struct bksi_record {
    uint32_t type;
    const uint8_t *payload;
    size_t payload_bytes;
    size_t offset; ///< of the record
    size_t end;    ///< of what follows it
} bksi_record;

/// Read the record at `offset`; `record` is filled as far as its head could be read.
bksi_record_status bksi_record_read(const uint8_t *bytes, size_t count, size_t offset,
                                    bksi_record *record);

/// The same without looking at the payload's check: to walk over records fast.
bksi_record_status bksi_record_skim(const uint8_t *bytes, size_t count, size_t offset,
                                    bksi_record *record);

/// The type's letters, '?' for what is not printable.
void bksi_record_name(uint32_t type, char out[5]);

#endif
